/** The built-in harness as a backend: its built program behind the wall, its models behind the gateway. */
import { join } from "node:path";
import { createModelBackend } from "../../src/adapters/agents/model/backend.ts";
import { NO_HOST_TOOLS } from "../../src/adapters/agents/model/host-hands.ts";
import type { AgentBackend } from "../../src/ports/agents/agent-backend.ts";
import { agentBackendContract, type Scenario } from "../contract/agent-backend.contract.ts";
import { openDoor } from "../support/agents/model-door.ts";
import type { Script, Step } from "../support/model-api/script.ts";
import { executorIn } from "../support/process-fixture.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "harness");

function backendIn(root: string): AgentBackend {
  return createModelBackend({
    ...{ executor: executorIn(root), root, program: PROGRAM, nodeProgram: process.execPath, version: "0.0.0" },
    tiers: () => Promise.resolve({}),
    openHostTools: () => Promise.resolve(NO_HOST_TOOLS),
  });
}

const writes = (path: string, content: string): Step => ({ tools: [{ name: "write_file", args: { path, content } }] });

const SCRIPTS: Readonly<Record<Scenario, Script>> = {
  answer: { steps: [{ text: "All is well." }] },
  edit: { steps: [writes("made.txt", "made by the agent\n"), { text: "Done." }] },
  denied: { steps: [writes("denied.txt", "no"), { text: "I was not allowed to." }] },
  asked: { steps: [writes("asked.txt", "yes"), { text: "Done." }] },
  budget: { steps: [writes("one.txt", "1"), { text: "x".repeat(400) }] },
  rate_limit: { steps: [{ error: { status: 429, headers: { "retry-after": "3600" } } }] },
  overload: { steps: [{ error: { status: 529 } }] },
  auth: { steps: [{ error: { status: 401 } }] },
  cut: { steps: [{ text: "I begin", cut: "middle" }] },
  hang: { steps: [{ tools: [{ name: "run_command", args: { argv: ["sleep", "1000"] } }] }] },
  structured: { steps: [{ text: '{"outcome":"accept","why":"it is right"}' }] },
};

for (const [wire, model] of [
  ["anthropic", "claude-sonnet-4-5"],
  ["responses", "gpt-5"],
  ["gemini", "gemini-2.5-pro"],
  ["chat", "grok-4"],
] as const) {
  agentBackendContract(`model (${wire})`, {
    async stage(scenario, { root }) {
      const { door } = await openDoor(SCRIPTS[scenario], root, scenario === "budget" ? 100 : undefined);
      return { backend: backendIn(root), settings: {}, door, model };
    },
    timeoutMs: 20_000,
  });
}
