/** The scripted agent, and any command. */

import { expect, test } from "vitest";
import { createCommandAgent } from "../../src/adapters/agents/command/command-agent.ts";
import { createScriptedAgent } from "../../src/adapters/agents/scripted/scripted-agent.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { AgentReport } from "../../src/ports/agents/agent-backend.ts";
import { emptyPlace, taskFor } from "../support/agents/life/task.ts";
import { executorIn } from "../support/process-fixture.ts";
import { agentBackendContract, type Scenario } from "./agent-backend.contract.ts";

const ACCEPT = { outcome: "accept", why: "it is right" };

const STEPS: Readonly<Record<Scenario, readonly JsonValue[]>> = {
  answer: [{ say: "All is well." }],
  edit: [{ write: { path: "made.txt", text: "made by the agent\n" } }, { say: "Done." }],
  denied: [{ write: { path: "denied.txt", text: "no" } }, { say: "I was not allowed to." }],
  asked: [{ write: { path: "asked.txt", text: "yes" } }, { say: "Done." }],
  budget: [{ fail: { why: "budget", error: "no money left" } }],
  rate_limit: [{ fail: { why: "rate_limited", error: "too many" } }],
  overload: [{ fail: { why: "overloaded", error: "busy" } }],
  auth: [{ fail: { why: "auth", error: "no key" } }],
  cut: [{ say: "I be" }, { fail: { why: "lost", error: "cut" } }],
  hang: [{ say: "…" }, { hang: true }],
  structured: [{ answer: ACCEPT }],
};

agentBackendContract("scripted", {
  async stage(scenario, { root }) {
    const backend = createScriptedAgent({ executor: executorIn(root), nodeProgram: process.execPath });
    const script: JsonObject = { stops_when_denied: false, attempts: [STEPS[scenario]] };
    return { backend, settings: { script } };
  },
});

test("a script that has more steps than turns ends like every agent that has used up its own", async () => {
  const place = emptyPlace();
  const backend = createScriptedAgent({ executor: executorIn(place.root), nodeProgram: process.execPath });
  const settings = { script: { stops_when_denied: false, attempts: [STEPS.edit] } };
  const host = { onEvent: () => undefined, decide: async () => ({ answer: "allow" }) as const };
  const run = (maxTurns: number): Promise<AgentReport> =>
    backend.run(taskFor(place, { settings, maxTurns }), host, new AbortController().signal);
  expect((await run(1)).outcome).toEqual({ kind: "budget", error: "max_turns is 1" });
  expect((await run(2)).outcome).toEqual({ kind: "completed" });
});

const say = (line: JsonValue): string => `echo '${JSON.stringify(line)}'`;

const SCRIPTS: Readonly<Record<Scenario, string>> = {
  answer: [
    'printf \'{"type":"session","session":"%s"}\\n\' "${PAWL_SESSION:-s1}"',
    'grep -q "Do what you are told" "$PAWL_PROMPT_FILE"',
    'grep -q "Do what you are told"',
    say({ type: "result", text: "All is well." }),
  ].join(" && "),
  edit: "cat > /dev/null; echo 'made by the agent' > made.txt; echo Done.",
  denied: "echo no > denied.txt; echo Done.",
  asked: "true",
  budget: say({ type: "error", why: "budget", error: "no money left" }),
  rate_limit: say({ type: "error", why: "rate_limited", error: "too many" }),
  overload: say({ type: "error", why: "overloaded", error: "busy" }),
  auth: say({ type: "error", why: "auth", error: "no key" }),
  cut: `${say({ type: "text", text: "I be" })}; exit 0`,
  hang: `${say({ type: "session", session: "s1" })}; sleep 1000 & sleep 1000`,
  structured: say({ type: "verdict", ...ACCEPT }),
};
agentBackendContract("command", {
  async stage(scenario, { root }) {
    const backend = createCommandAgent({ executor: executorIn(root) });
    return { backend, settings: { run: ["/bin/sh", "-c", SCRIPTS[scenario]] } };
  },
  without: { asked: "it asks nobody: only the wall bounds it" },
});
