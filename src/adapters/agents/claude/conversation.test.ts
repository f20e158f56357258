import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentEvent, Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import { createConversation } from "./conversation.ts";
import { createGate } from "./gate.ts";

const WELCOME = { hooks_applied: true, hook_on_failure_supported: true };

interface Talk {
  readonly sent: JsonObject[];
  readonly events: AgentEvent[];
  readonly asked: ToolCall[];
  readonly seen: string[];
  /** The agent says it; resolves when it was answered. */
  say(...messages: readonly JsonObject[]): Promise<void>;
  welcome(said?: JsonObject): Promise<void>;
  readonly heard: ReturnType<typeof createConversation>["heard"];
  readonly onOutput: (chunk: Uint8Array) => void;
}

function begin(rule: (call: ToolCall) => Ruling = () => ({ answer: "allow" }), prompt: string | null = "Do it."): Talk {
  const [sent, events, asked, seen]: [JsonObject[], AgentEvent[], ToolCall[], string[]] = [[], [], [], []];
  const host = {
    onEvent: (event: AgentEvent): void => void events.push(event),
    decide: async (call: ToolCall): Promise<Ruling> => {
      asked.push(call);
      return rule(call);
    },
  };
  const gate = createGate({ host, workspace: { seenAt: "/workspace", folder: "/nonexistent" }, cwd: "/workspace" });
  const { dialogue, heard } = createConversation({
    ...{ host, gate, system: "Be brief.", prompt },
    onReady: async () => void seen.push("ready"),
    onResult: () => void seen.push("result"),
    stop: () => void seen.push("stop"),
  });
  dialogue.begin({
    send: async (text) => void sent.push(JSON.parse(text) as JsonObject),
    end: () => void seen.push("end"),
  });
  const say = async (...messages: readonly JsonObject[]): Promise<void> => {
    for (const message of messages) await dialogue.onOutput(Buffer.from(`${JSON.stringify(message)}\n`));
    await new Promise((resolve) => setImmediate(resolve));
  };
  const welcome = (said: JsonObject = WELCOME): Promise<void> =>
    say({ type: "control_response", response: { subtype: "success", request_id: "pawl-hello", response: said } });
  return { sent, events, asked, seen, say, welcome, heard, onOutput: (chunk) => void dialogue.onOutput(chunk) };
}

const hook = (id: string, input: JsonObject = { command: "ls" }): JsonObject => ({
  type: "control_request",
  request_id: `r-${id}`,
  request: {
    subtype: "hook_callback",
    callback_id: "pawl-gate",
    input: { tool_name: "Bash", tool_input: input, tool_use_id: id, cwd: "/workspace" },
  },
});
const result = (id: string, isError = false): JsonObject => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, is_error: isError, content: "done\nit" }] },
});
const permission = (id: string, input: JsonObject = { command: "ls" }): JsonObject => ({
  type: "control_request",
  request_id: `p-${id}`,
  request: { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: id },
});
const lastOf = ({ sent }: Talk): unknown => sent.at(-1);

describe("a talk with Claude Code", () => {
  test("begins with the hook, and gives the task only when it was taken", async () => {
    const talk = begin();
    expect(talk.sent).toEqual([
      {
        type: "control_request",
        request_id: "pawl-hello",
        request: {
          subtype: "initialize",
          hooks: { PreToolUse: [{ hookCallbackIds: ["pawl-gate"], timeout: 600, onFailure: "block" }] },
          appendSystemPrompt: "Be brief.",
        },
      },
    ]);
    await talk.say({
      type: "control_response",
      response: { subtype: "success", request_id: "other", response: WELCOME },
    });
    expect(talk.sent).toHaveLength(1);
    await talk.welcome();
    expect(lastOf(talk)).toEqual({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: "Your task:\n\nDo it." }] },
      parent_tool_use_id: null,
    });
    expect(talk.seen).toEqual(["ready"]);
  });

  test("says nothing when it goes on with a call that was put off", async () => {
    const talk = begin(undefined, null);
    await talk.welcome();
    expect(talk.sent).toHaveLength(1);
    expect(talk.seen).toEqual(["ready"]);
  });

  test.each([
    [{ hooks_applied: true }],
    [{ hook_on_failure_supported: true }],
    [{ hooks_applied: "yes", hook_on_failure_supported: true }],
    [{}],
  ])("is broken off when the hook was not taken: %j", async (said) => {
    const talk = begin();
    await talk.welcome(said);
    expect(talk.sent).toHaveLength(1);
    expect(talk.seen).toEqual(["stop"]);
    expect(talk.heard().breach).toBe("it did not take the hook that rules on its tools");
  });

  test("is broken off when the hook was refused", async () => {
    const talk = begin();
    await talk.say({
      type: "control_response",
      response: { subtype: "error", request_id: "pawl-hello", response: WELCOME },
    });
    expect(talk.seen).toEqual(["stop"]);
  });

  test("answers each call with its ruling", async () => {
    const rulings: Record<string, Ruling> = {
      a: { answer: "allow" },
      b: { answer: "deny", why: "no" },
      c: { answer: "defer", why: "ask" },
    };
    const talk = begin(({ id }) => rulings[id] ?? { answer: "deny", why: "" });
    await talk.say(hook("a"), hook("b"), hook("c"));
    const output = (decision: JsonObject): JsonObject => ({ hookEventName: "PreToolUse", ...decision });
    expect(talk.sent.slice(1).map((message) => message["response"])).toEqual(
      [
        ["r-a", { permissionDecision: "allow" }],
        ["r-b", { permissionDecision: "deny", permissionDecisionReason: "no" }],
        ["r-c", { permissionDecision: "defer", permissionDecisionReason: "ask" }],
      ].map(([id, decision]) => ({
        subtype: "success",
        request_id: id,
        response: { hookSpecificOutput: output(decision as JsonObject) },
      })),
    );
    expect(talk.events.map(({ type }) => type)).toEqual(["tool_request", "tool_request", "tool_request"]);
  });

  test("asks once about a call, and anew when it is another", async () => {
    const talk = begin();
    await talk.say(hook("a"), hook("a"));
    await talk.say(hook("a"));
    await talk.say(hook("a", { command: "rm -rf ." }));
    expect(talk.asked.map(({ input }) => input["command"])).toEqual(["ls", "rm -rf ."]);
  });

  test("permits only what the hook has allowed, exactly as it was", async () => {
    const talk = begin(({ id }) => (id === "a" ? { answer: "allow" } : { answer: "deny", why: "no" }));
    await talk.say(hook("a"), hook("b"));
    const behavior = (): unknown => (lastOf(talk) as { response: { response: JsonObject } }).response.response;
    await talk.say(permission("a"));
    expect(behavior()).toEqual({ behavior: "allow", updatedInput: { command: "ls" } });
    for (const request of [permission("a", { command: "rm" }), permission("b"), permission("unknown")]) {
      await talk.say(request);
      expect(behavior()).toEqual({ behavior: "deny", message: "It was not allowed." });
    }
  });

  test("refuses whatever else it is asked", async () => {
    const talk = begin();
    const other = { ...(hook("a")["request"] as JsonObject), callback_id: "other" };
    for (const request of [other, { subtype: "mcp_message" }]) {
      await talk.say({ type: "control_request", request_id: "x", request });
      expect(lastOf(talk)).toMatchObject({ response: { subtype: "error", request_id: "x" } });
    }
    expect(talk.asked).toEqual([]);
  });

  test("is broken off when something happened that was not allowed", async () => {
    const talk = begin(() => ({ answer: "deny", why: "no" }));
    await talk.say(hook("a"), result("a", true));
    expect(talk.seen).toEqual([]);
    await talk.say(result("a"), { type: "result", is_error: false });
    expect(talk.seen).toEqual(["stop"]);
    expect(talk.heard()).toMatchObject({ breach: "it did something that was not allowed (a)", result: null });
    await talk.say(result("never asked"));
    expect(talk.events.filter(({ type }) => type === "tool_result")).toHaveLength(1);
  });

  test("is broken off at a line without an end", () => {
    const talk = begin();
    for (let at = 0; at < 65; at += 1) talk.onOutput(Buffer.alloc(1 << 20, "x"));
    expect(talk.heard().breach).toBe("it wrote a line without an end");
    expect(talk.seen).toEqual(["stop"]);
  });

  test("tells what was said", async () => {
    const talk = begin();
    await talk.say(
      { type: "system", subtype: "init", session_id: "s-1" },
      { type: "system", subtype: "init", session_id: "s-1" },
      {
        type: "assistant",
        message: {
          content: [
            { type: "text", text: "Hello." },
            { type: "tool_use", id: "a" },
          ],
        },
      },
      { type: "system", subtype: "api_retry", attempt: 1, retry_delay_ms: 500, error_status: 429, error: "rate_limit" },
      { type: "system", subtype: "api_retry" },
      { type: "stream_event" },
      hook("a"),
    );
    await talk.say(result("a"));
    expect(talk.events).toEqual([
      { type: "session", session: "s-1" },
      { type: "text", text: "Hello." },
      { type: "retry", attempt: 1, why: "rate_limit (429)", delayMs: 500 },
      { type: "retry", attempt: 0, why: "no reason given", delayMs: null },
      { type: "tool_request", call: expect.objectContaining({ id: "a" }) },
      { type: "tool_result", id: "a", ok: true, summary: "done\\nit" },
    ]);
    expect(talk.heard().session).toBe("s-1");
  });

  test("ends the input at the last line, and adds up what was used", async () => {
    const talk = begin();
    const used = (inputTokens: number): JsonObject => ({
      type: "result",
      model_usage_since_last_result: {
        m: { inputTokens, outputTokens: 1, costUSD: 0.5 },
        n: { cacheReadInputTokens: 2 },
      },
    });
    await talk.say(used(10));
    expect(talk.seen).toEqual(["end", "result"]);
    await talk.say(used(20));
    expect(talk.heard().usage).toEqual({ tokens: 36, microUsd: 1_000_000 });
    expect(talk.heard().result).toEqual(used(20));
  });

  test("does not make up what was used", async () => {
    const talk = begin();
    await talk.say({ type: "result", usage: { input_tokens: 7 } });
    expect(talk.heard().usage).toBeNull();
  });
});
