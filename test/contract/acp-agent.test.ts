/** Agents that speak ACP: the contract over a small agent on the other side of the SDK, as a program of its own behind the wall. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAcpBackend } from "../../src/adapters/agents/acp/backend.ts";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { ToolCall } from "../../src/ports/agents/agent-backend.ts";
import { bundlePeer } from "../support/agents/life/bundle.ts";
import { pathWith } from "../support/agents/life/on-path.ts";
import { type Actor, stageWith } from "../support/agents/life/stage.ts";
import { emptyPlace, taskFor } from "../support/agents/life/task.ts";
import { agentBackendContract } from "./agent-backend.contract.ts";

const WORDS: Omit<Actor, "backend"> = {
  model: "gpt-4.1",
  write: (path, content) => ({ name: "write", args: { path, content } }),
  run: (command) => ({ name: "run", args: { command } }),
};

/** `name`: whom it plays. */
async function peerAs(name: "opencode" | "acp", settings: Actor["settings"] = {}): Promise<Actor> {
  const path = pathWith({ [name]: await bundlePeer("acp-peer.ts") });
  const options = { root: "/nowhere", path, nodeProgram: process.execPath };
  return { ...WORDS, settings, backend: (executor) => createAcpBackend(name, { ...options, executor }) };
}

agentBackendContract("an agent that speaks ACP", {
  stage: async (scenario, place) => stageWith(await peerAs("opencode"), scenario, place),
});

test("any other agent is started by its command, and what it asks is ruled on", async () => {
  const place = emptyPlace();
  const { backend, door, settings } = await stageWith(await peerAs("acp", { run: ["acp", "--x"] }), "edit", place);
  const asked: ToolCall[] = [];
  const report = await backend.run(
    taskFor(place, { door, settings }),
    {
      onEvent: () => undefined,
      decide: async (call) => {
        asked.push(call);
        return { answer: "allow" };
      },
    },
    new AbortController().signal,
  );
  expect(report.outcome).toEqual({ kind: "completed" });
  expect(asked.map(({ requests }) => requests)).toEqual([[{ kind: "edit", path: "made.txt" }]]);
  expect(readFileSync(join(place.folder, "made.txt"), "utf8")).toBe("made by the agent");
});

test.for([
  [{ settings: {} }, "`run` of the agent names no command"],
  [{ settings: { run: ["no-such-agent"] } }, "no-such-agent is not installed on this machine"],
  [{ door: null }, "it has no way to a model: the stage must say what it may spend on models"],
  [{ wall: "danger_full_access" }, "it works only behind a wall"],
] as const)("%j starts nothing: %s", async ([change, error]) => {
  const place = emptyPlace();
  const { backend, door } = await stageWith(await peerAs("acp"), "edit", place);
  const { wall = "workspace_write", ...rest } = change as { wall?: SandboxMode };
  const task = taskFor(place, { door, settings: { run: ["acp"] }, ...rest }, wall);
  const host = { onEvent: () => undefined, decide: async () => ({ answer: "allow" }) as const };
  const { outcome } = await backend.run(task, host, new AbortController().signal);
  expect(outcome).toEqual({ kind: "failed", why: "lost", error });
});
