/**
 * Traffic of the real agent programs is recorded in one life and answers them in another: in another folder, with another session, at
 * another time. Only those that are installed.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_PROGRAMS, findAgent } from "../../scripts/agent-clis.ts";
import { createClaudeAgent } from "../../src/adapters/agents/claude/claude-agent.ts";
import type { Traffic } from "../../src/gateway/grants.ts";
import { createPlayer } from "../../src/gateway/record/player.ts";
import type { RecordedCall } from "../../src/gateway/record/recorded-call.ts";
import { createRecorder } from "../../src/gateway/record/recorder.ts";
import type { AgentReport } from "../../src/ports/agents/agent-backend.ts";
import type { ModelUse } from "../../src/ports/models/model-access.ts";
import { REAL_NAMES, realActor } from "../support/agents/life/actors.ts";
import { type Actor, makeRepository } from "../support/agents/life/stage.ts";
import { emptyPlace, taskFor } from "../support/agents/life/task.ts";
import { openDoor } from "../support/agents/model-door.ts";
import type { Script } from "../support/model-api/script.ts";
import { executorIn } from "../support/process-fixture.ts";

const TIME_MS = 240_000;
const isFull = process.env["PAWL_FULL"] === "1";
const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;

function claudeActor(): Actor | null {
  const found = AGENT_PROGRAMS.find(({ name }) => name === "claude");
  const program = found === undefined ? null : findAgent(found);
  if (program === null) return null;
  return {
    model: "claude-sonnet-4-5",
    backend: (executor) => createClaudeAgent({ executor, root: "/nonexistent", path: "", program }),
    write: (path, content) => ({ name: "Write", args: { file_path: `/workspace/${path}`, content } }),
    run: (command) => ({ name: "Bash", args: { command } }),
  };
}

const actors = [["claude", claudeActor()] as const, ...REAL_NAMES.map((name) => [name, realActor(name)] as const)]
  .filter(([name, actor]) => actor !== null && (name !== "opencode" || isFull))
  .map(([name, actor]) => ({ name, actor: actor as Actor }));

interface Life {
  readonly report: AgentReport;
  readonly use: ModelUse;
  readonly written: string | null;
  readonly asked: number;
}

async function live(actor: Actor, traffic: Traffic, script: Script): Promise<Life> {
  const place = emptyPlace();
  makeRepository(place.folder);
  const { door, api } = await openDoor(script, place.root, 1e9, traffic);
  const backend = actor.backend(executorIn(place.root, { graceMs: 1200 }));
  const host = { onEvent: () => undefined, decide: async () => ({ answer: "allow" }) as const };
  const task = taskFor(place, { settings: actor.settings ?? {}, door, model: actor.model });
  const report = await backend.run(task, host, new AbortController().signal);
  const use = await door.close();
  const file = join(place.folder, "made.txt");
  const written = existsSync(file) ? readFileSync(file, "utf8") : null;
  return { report, use, written, asked: api.calls().length };
}

test("says which agents are tried", () => {
  console.log(`agents replayed: ${actors.map(({ name }) => name).join(", ") || "none"}`);
  expect(actors.length).toBeLessThanOrEqual(REAL_NAMES.length + 1);
});

describe.for(actors)("$name", { timeout: TIME_MS * 2 }, ({ name, actor }) => {
  test("finds every one of its calls in a record of another life", async () => {
    const { write, run, sideModel } = actor;
    const steps = [
      { text: "I look.", tools: [run("ls -a")] },
      { text: "I write.", tools: [write("made.txt", "made by the agent")] },
      { text: "All is well." },
    ].map((step) => ({ usage: USAGE, ...step }));
    const models = sideModel === undefined ? {} : { models: { [sideModel]: [{ text: "A title" }] } };
    const calls: RecordedCall[] = [];
    const recorder = createRecorder({ redact: (text) => text, mostBytes: 1 << 22, write: (call) => calls.push(call) });
    const first = await live(actor, recorder, { steps, aux: "A title", ...models });
    const dump = process.env["PAWL_DUMP"];
    if (dump !== undefined) writeFileSync(`${dump}/${name}-${Date.now()}.json`, JSON.stringify(calls, null, 1));
    expect(first.report.outcome).toEqual({ kind: "completed" });
    const again = await live(actor, createPlayer(calls), { steps: [{ text: "Nobody must ask." }] });
    expect(again.use).toMatchObject({ missed: 0 });
    expect(again.report.outcome).toEqual({ kind: "completed" });
    expect([again.asked, again.written]).toEqual([0, first.written]);
  });
});
