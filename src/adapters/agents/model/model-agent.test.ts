import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentEvent, Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { HostTools } from "../../../ports/agents/host-tools.ts";
import type { ProgramTask } from "../../../ports/agents/model-program.ts";
import { NO_HOST_TOOLS } from "./host-hands.ts";
import { openRecords, type Records, readRecords } from "./records.ts";
import { createModelSpeaker } from "./speaker.ts";
import { wireFor } from "./wire-for.ts";

const SESSION = "r_000000000001";
const TASK: ProgramTask = {
  ...{ prompt: "go", system: null, model: "m", wire: "anthropic", gateway: { url: "u", token: "t" } },
  ...{
    maxTurns: null,
    toolset: null,
    hostTools: [],
    schema: null,
    session: SESSION,
    isRestored: false,
    root: "/workspace",
    timeoutMs: 1,
  },
};
const CALL = { id: "1", tool: "write_file", input: { path: "a" }, requests: [{ kind: "edit", path: "a" }] };

/** A talk whose other side is the test. */
function talking(ruling: Ruling, keep: Records["keep"] = () => Promise.resolve(), tools: HostTools = NO_HOST_TOOLS) {
  const sent: JsonObject[] = [];
  const asked: ToolCall[] = [];
  const events: AgentEvent[] = [];
  const kept: JsonObject[] = [];
  const speaker = createModelSpeaker(
    { type: "start", task: TASK, past: [] },
    {
      host: {
        onEvent: (event) => void events.push(event),
        decide: (call) => {
          asked.push(call);
          return Promise.resolve(ruling);
        },
      },
      records: {
        keep: (record, isDurable) => {
          kept.push(record);
          return keep(record, isDurable);
        },
        close: () => Promise.resolve(),
      },
      cwd: "packages/b",
      tools,
    },
  );
  const ending = speaker.speak({ send: (message) => void sent.push(message) });
  return { speaker, ending, sent, asked, events, kept };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const done = (outcome: JsonObject): JsonObject => ({ type: "done", report: { outcome, text: "t", reported: {} } });

describe("the talk with the program of the harness", () => {
  test("rules on every call, by paths that count from the project", async () => {
    const { speaker, sent, asked } = talking({ answer: "deny", why: "no" });
    speaker.hear({ type: "ask", id: 7, call: CALL });
    await settled();
    expect(asked).toEqual([{ ...CALL, requests: [{ kind: "edit", path: "packages/b/a" }] }]);
    expect(sent.slice(1)).toEqual([{ type: "ruling", id: 7, ruling: { answer: "deny", why: "no" } }]);
  });

  test.each([
    ["../../../etc/passwd", "../etc/passwd"],
    ["/etc/passwd", "/etc/passwd"],
    [null, null],
  ])("does not lose that %s leads out", async (path, seen) => {
    const { speaker, asked } = talking({ answer: "allow" });
    speaker.hear({ type: "ask", id: 1, call: { ...CALL, requests: [{ kind: "read", path }] } });
    await settled();
    expect(asked[0]?.requests).toEqual([{ kind: "read", path: seen }]);
  });

  test("keeps that a question is part of a call", async () => {
    const { speaker, asked } = talking({ answer: "allow" });
    speaker.hear({ type: "ask", id: 1, call: { ...CALL, isPart: true } });
    speaker.hear({ type: "ask", id: 2, call: { ...CALL, isPart: "yes" } });
    await settled();
    expect(asked.map(({ isPart }) => isPart)).toEqual([true, undefined]);
  });

  test("waits only for what it was told to wait for", async () => {
    const waiting = talking({ answer: "defer", why: "a person" });
    waiting.speaker.hear({ type: "ask", id: 1, call: CALL });
    await settled();
    waiting.speaker.hear(done({ kind: "deferred", call: { ...CALL, id: "another" } }));
    expect(await waiting.ending).toMatchObject({ kind: "deferred", call: { id: "1" } });
    const lying = talking({ answer: "allow" });
    lying.speaker.hear(done({ kind: "deferred", call: CALL }));
    expect(await lying.ending).toMatchObject({ kind: "failed", why: "lost" });
  });

  test.each([
    ["no call", { type: "ask", id: 1, call: { id: 1 } }],
    ["no outcome", { type: "done", report: { outcome: { kind: "perfect" }, text: "" } }],
    ["no report", { type: "done" }],
  ])("is lost when it hears %s", async (_, message) => {
    const { speaker, ending } = talking({ answer: "allow" });
    speaker.hear(message);
    expect(await ending).toMatchObject({ kind: "failed", why: "lost" });
    expect(speaker.report()).toBeNull();
  });

  test("says that a record is kept when it is, and is lost when it cannot be", async () => {
    const good = talking({ answer: "allow" });
    good.speaker.hear({ type: "record", record: { n: 1 } });
    good.speaker.hear({ type: "record", record: { n: 2 }, id: 9 });
    await settled();
    expect(good.kept).toEqual([{ n: 1 }, { n: 2 }]);
    expect(good.sent.slice(1)).toEqual([{ type: "kept", id: 9 }]);
    const bad = talking({ answer: "allow" }, () => Promise.reject(new Error("disk full")));
    bad.speaker.hear({ type: "record", record: {}, id: 1 });
    expect(await bad.ending).toMatchObject({
      kind: "failed",
      why: "lost",
      error: expect.stringContaining("disk full"),
    });
  });

  test("tells what it hears, and nothing that is no event", async () => {
    const { speaker, events, ending, sent } = talking({ answer: "allow" });
    const told: readonly JsonObject[] = [
      { type: "text", text: "hi" },
      { type: "session", session: SESSION },
      { type: "usage", usage: { tokens: 5, microUsd: -1 } },
      { type: "tool_result", id: "1", ok: true, summary: "s" },
      { type: "retry", attempt: 1, why: "busy", delayMs: null },
    ];
    for (const event of told) speaker.hear({ type: "event", event });
    for (const event of [null, { type: "text" }, { type: "tool_request", call: {} }, { type: "other" }])
      speaker.hear({ type: "event", event });
    speaker.cancel();
    speaker.hear(done({ kind: "completed" }));
    expect(await ending).toEqual({ kind: "completed" });
    expect(events).toEqual([
      ...told.slice(0, 2),
      { type: "usage", usage: { tokens: 5, microUsd: 0 } },
      ...told.slice(3),
    ]);
    expect(sent.at(-1)).toEqual({ type: "stop" });
  });
});

describe("a tool of the host", () => {
  const input = { b: 2, a: 1 };
  const made: unknown[] = [];
  const tools: HostTools = {
    tools: [{ name: "mcp__s__sum", summary: "Adds.", input: {}, request: { kind: "mcp", server: "s", tool: "sum" } }],
    call: async (tool, given) => {
      made.push([tool, given]);
      return { ok: true, output: 3 };
    },
    close: () => Promise.resolve(),
  };
  const call = { type: "call", id: 2, tool: "mcp__s__sum", input: { a: 1, b: 2 } };
  const NOT = { type: "result", id: 2, result: { ok: false, error: "this call was not allowed" } };
  const ask = (name = "mcp__s__sum", more: JsonObject = {}): JsonObject => {
    // What it says that the tool does is not believed.
    return {
      type: "ask",
      id: 1,
      call: { id: "1", tool: name, input, requests: [{ kind: "read", path: "a" }], ...more },
    };
  };

  test("T12: is called when policy has allowed what we know of it, once for each time", async () => {
    made.length = 0;
    const { speaker, sent, asked } = talking({ answer: "allow" }, undefined, tools);
    speaker.hear(ask());
    await settled();
    expect(asked.map(({ requests }) => requests)).toEqual([[{ kind: "mcp", server: "s", tool: "sum" }]]);
    speaker.hear(call);
    await settled();
    speaker.hear(call);
    await settled();
    expect(sent.slice(2)).toEqual([{ type: "result", id: 2, result: { ok: true, output: 3 } }, NOT]);
    expect(made).toEqual([["mcp__s__sum", { a: 1, b: 2 }]]);
  });

  test.each([
    ["that was denied", "deny", ask(), call],
    ["that waits for a person", "defer", ask(), call],
    ["with another input", "allow", ask(), { ...call, input: { a: 1 } }],
    ["that is only a part", "allow", ask("mcp__s__sum", { isPart: true }), call],
    ["by another name", "allow", ask("read_file"), { ...call, tool: "read_file" }],
    ["that is nonsense", "allow", ask(), { ...call, input: 7 }],
  ] as const)("T12: is not called for a call %s", async (_, answer, first, second) => {
    made.length = 0;
    const { speaker, sent } = talking({ answer, why: "no" } as Ruling, undefined, tools);
    speaker.hear(first);
    await settled();
    speaker.hear(second);
    await settled();
    expect(sent.at(-1)).toEqual(NOT);
    expect(made).toEqual([]);
  });
});

describe("what a session remembers", () => {
  test("is there for the next attempt, without what a crash has cut off", async () => {
    const home = mkdtempSync(join(tmpdir(), "pawl-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    expect(await readRecords(home, SESSION)).toBeNull();
    const first = await openRecords(home, SESSION);
    void first.keep({ n: 1 }, false);
    await first.keep({ n: 2 }, true);
    await first.close();
    appendFileSync(join(home, `${SESSION}.jsonl`), '{"n":');
    const second = await openRecords(home, SESSION);
    await second.keep({ n: 3 }, false);
    await second.close();
    expect(await readRecords(home, SESSION)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(await readRecords(home, "../etc")).toBeNull();
  });
});

test.each([
  ["claude-x", "anthropic"],
  ["openai/gpt-x:high", "responses"],
  ["gemini-x, claude-x", "gemini"],
  ["grok-x", "chat"],
  ["smart", "responses"],
  ["smart:low", "responses"],
  ["unheard-of", "anthropic"],
])("%s is asked on the wire %s", (model, wire) => {
  expect(wireFor(model, { smart: ["gpt-x:high", "claude-x"] })).toBe(wire);
});
