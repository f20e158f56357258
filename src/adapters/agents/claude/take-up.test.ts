import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CALM } from "../../../../test/support/gateway/calm.ts";
import { formatRunId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentReport, AgentTask, Ruling } from "../../../ports/agents/agent-backend.ts";
import type { Executor } from "../../../ports/executor.ts";
import { createClaudeAgent } from "./claude-agent.ts";
import { keepPutOff, readPutOff } from "./put-off.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const CALL = { id: "toolu_1", tool: "Write", input: { file_path: "/workspace/a", content: "x" } };

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-claude-"));
  mkdirSync(join(home, "claude/projects/p"), { recursive: true });
  writeFileSync(join(home, "claude/projects/p", `${SESSION}.jsonl`), '{"type":"user"}\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const NO_USE = { usage: { tokens: 0, microUsd: 0 }, calls: 0, refused: 0, missed: 0, parkedUntil: null };
const door = { env: {}, socket: "/s/models", ...CALM, close: async () => NO_USE };
const resources = { memoryBytes: null, cpuMs: null, processes: null, fileBytes: null, outputBytes: null };

function taskOf(goesOn: AgentTask["goesOn"]): AgentTask {
  return {
    ...{ prompt: "Do it.", system: null, model: null, maxTurns: null, schema: null, toolset: null, settings: {} },
    ...{ session: SESSION, goesOn, home, round: 1, lastError: null, door },
    process: {
      ...{ run: formatRunId(new Uint8Array(12)), stage: "fix", attempt: 1, key: "k", folder: home, project: "" },
      ...{ cwd: ".", mounts: [], inputs: {}, strip: [], outputs: [], timeoutMs: 1, stallMs: null },
      wall: { sandbox: "workspace_write", network: [], resources },
    },
  };
}

const WELCOME: JsonObject = {
  type: "control_response",
  response: {
    ...{ subtype: "success", request_id: "pawl-hello" },
    response: { hooks_applied: true, hook_on_failure_supported: true },
  },
};
const hookFor = ({ id, tool, input }: typeof CALL): JsonObject => ({
  ...{ type: "control_request", request_id: "r" },
  request: {
    ...{ subtype: "hook_callback", callback_id: "pawl-gate" },
    input: { tool_name: tool, tool_input: input, tool_use_id: id, cwd: "/workspace" },
  },
});
const DONE: JsonObject = { type: "result", is_error: false, terminal_reason: "completed", result: "ok" };

interface Seen {
  readonly report: AgentReport;
  readonly resumed: string | null;
  /** What it could read of the gate when it was started, and whether it has one at all. */
  readonly gate: { readonly id: string; readonly allowed: string } | null;
  readonly sent: readonly string[];
}

/** A program that says these lines, each when what came before has been answered, and ends. */
async function takenUp(lines: readonly JsonObject[], goesOn: AgentTask["goesOn"], answer: Ruling): Promise<Seen> {
  const sent: string[] = [];
  let resumed: string | null = null;
  let gate: Seen["gate"] = null;
  const execute: Executor["execute"] = async (request) => {
    const { argv, mounts, dialogue } = request;
    resumed = argv.includes("--resume") ? (argv[argv.indexOf("--resume") + 1] ?? null) : null;
    const mount = mounts.find(({ to }) => to === "/run/pawl/agent/gate");
    const read = (name: string): string => readFileSync(join(mount?.from ?? "", name), "utf8");
    if (mount !== undefined && argv.join(" ").includes(mount.to)) gate = { id: read("id"), allowed: read("allowed") };
    dialogue?.begin({ send: async (text) => void sent.push(text), end: () => undefined });
    for (const line of lines) {
      await dialogue?.onOutput(Buffer.from(`${JSON.stringify(line)}\n`));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { cause: "ok", exit: 0, log: { sha256: "", bytes: 0, dropped: 0 }, artifacts: {} };
  };
  const backend = createClaudeAgent({ executor: { execute }, root: home, path: "", program: process.execPath });
  const host = { onEvent: () => undefined, decide: async () => answer };
  const report = await backend.run(taskOf(goesOn), host, new AbortController().signal);
  return { report, resumed, gate, sent };
}

const ALLOW: Ruling = { answer: "allow" };

test("a session that goes on passes no call before it has taken the hook, also when nothing is known to be put off", async () => {
  const { resumed, gate, sent, report } = await takenUp([WELCOME, DONE], "again", ALLOW);
  expect({ resumed, gate }).toEqual({
    resumed: SESSION,
    gate: { id: "nothing\nis allowed\n", allowed: "nothing\nis allowed\n" },
  });
  expect(sent.join("")).toContain("Do it.");
  expect(report.outcome).toEqual({ kind: "completed" });
});

test("a session whose put-off call cannot be read is not gone on with", async () => {
  writeFileSync(join(home, "claude-put-off.json"), '{"session":"');
  const { resumed, report } = await takenUp([WELCOME, DONE], "deferred", ALLOW);
  expect({ resumed, kind: report.outcome.kind }).toEqual({ resumed: null, kind: "completed" });
});

test.for([
  ["is lost", [WELCOME, hookFor(CALL)]],
  [
    "does what was not allowed",
    [WELCOME, hookFor(CALL), { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "x" }] } }],
  ],
] as const)("a call that was put off stays put off when the program %s afterwards", async ([, lines]) => {
  await takenUp(lines, "again", { answer: "defer", why: "ask" });
  expect(await readPutOff(home, SESSION)).toEqual(CALL);
});

test("a session that was lost before it has come past its call is not gone on with unseen", async () => {
  await keepPutOff(home, SESSION, CALL);
  const first = await takenUp([WELCOME], "deferred", ALLOW);
  expect(first).toMatchObject({ resumed: SESSION, report: { outcome: { kind: "failed", why: "lost" } } });
  expect(first.gate?.allowed).toContain('"tool_use_id":"toolu_1"');
  expect(await readPutOff(home, SESSION)).toEqual(CALL);
  expect((await takenUp([WELCOME, DONE], "again", ALLOW)).resumed).toBeNull();
});

test("a call that was decided is put off no longer once the program has said its last line", async () => {
  await keepPutOff(home, SESSION, CALL);
  await takenUp([WELCOME, DONE], "deferred", ALLOW);
  expect(await readPutOff(home, SESSION)).toBeNull();
});
