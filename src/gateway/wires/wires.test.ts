import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import { ANTHROPIC_WIRE } from "./anthropic.ts";
import { CHAT_WIRE } from "./chat.ts";
import { GEMINI_WIRE } from "./gemini.ts";
import { RESPONSES_WIRE } from "./responses.ts";
import type { AnswerReading, RequestFacts, Wire } from "./wire.ts";

const tokens = (change: Partial<Tokens>): Tokens => ({ ...NO_TOKENS, ...change });

function facts(wire: Wire, body: JsonObject, address = {}): RequestFacts | string {
  const reading = wire.readRequest(body, address);
  return reading.ok ? reading.facts : reading.problem;
}

/** The events, as far as the reader wants to see them. */
function readStream(wire: Wire, events: readonly JsonObject[]): AnswerReading {
  const reader = wire.createStreamReader();
  for (const event of events)
    if (reader.marks === null || JSON.stringify(event).search(reader.marks) >= 0) reader.read(event);
  return reader.reading();
}

describe("Anthropic Messages", () => {
  const BODY = { model: "claude-x", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
  const PLAIN: RequestFacts = {
    ...{ model: "claude-x", streams: false, maxOutput: 100, copies: 1, cache: "none", unseen: 0 },
  };
  const within = (part: JsonObject): JsonObject => ({ ...BODY, messages: [{ role: "user", content: [part] }] });

  it("reads what a request asks for", () => {
    expect(facts(ANTHROPIC_WIRE, BODY)).toEqual(PLAIN);
    expect(facts(ANTHROPIC_WIRE, { ...BODY, stream: true })).toEqual({ ...PLAIN, streams: true });
    expect(facts(ANTHROPIC_WIRE, { model: "m" })).toMatchObject({ maxOutput: null });
  });

  it("sees which cache it may write to", () => {
    const marked = (mark: JsonObject): JsonObject => within({ type: "text", text: "hi", cache_control: mark });
    expect(facts(ANTHROPIC_WIRE, marked({ type: "ephemeral" }))).toMatchObject({ cache: "short" });
    expect(facts(ANTHROPIC_WIRE, marked({ type: "ephemeral", ttl: "1h" }))).toMatchObject({ cache: "long" });
  });

  it("sees that content lies elsewhere, and is not misled by the names in a tool", () => {
    const seen = (body: JsonObject): unknown => (facts(ANTHROPIC_WIRE, body) as RequestFacts).unseen === null;
    expect(seen(within({ type: "image", source: { type: "url", url: "https://x" } }))).toBe(true);
    expect(seen(within({ type: "document", source: { type: "file", file_id: "f" } }))).toBe(true);
    expect(seen(within({ type: "container_upload", file_id: "f" }))).toBe(true);
    const result = { type: "tool_result", content: [{ type: "image", source: { type: "url", url: "https://x" } }] };
    expect(seen(within(result))).toBe(true);
    expect(seen({ ...BODY, container: "c" })).toBe(true);
    expect(seen(within({ type: "image", source: { type: "base64", data: "aa" } }))).toBe(false);
    expect(seen({ ...BODY, tools: [{ name: "fetch", input_schema: { properties: { url: {}, source: {} } } }] })).toBe(
      false,
    );
    expect(seen(within({ type: "tool_use", input: { url: "https://x" } }))).toBe(false);
  });

  it.each([
    [{ max_tokens: 1 }, "it names no model"],
    [{ model: "m", max_tokens: "many" }, "max_tokens is not a whole number"],
    [{ model: "m", max_tokens: -1 }, "max_tokens is not a whole number"],
  ])("refuses %j", (body, problem) => {
    expect(facts(ANTHROPIC_WIRE, body)).toBe(problem);
  });

  it("counts input, caches and output apart", () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 200,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
      output_tokens: 7,
    };
    const content = [{ type: "text" }, { type: "tool_use" }, { type: "tool_use" }];
    expect(ANTHROPIC_WIRE.readAnswer({ model: "claude-x-1", usage, content })).toEqual({
      model: "claude-x-1",
      tokens: tokens({ input: 10, cacheRead: 200, cacheWrite: 20, cacheWriteLong: 10, output: 7 }),
      isWhole: true,
      toolCalls: 2,
      error: null,
    });
  });

  it("reads a stream: the start tells the input, each delta the output so far", () => {
    const start = {
      type: "message_start",
      message: { model: "claude-x-1", usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 } },
    };
    const tool = { type: "content_block_start", content_block: { type: "tool_use" } };
    const text = { type: "content_block_delta", delta: { type: "text_delta", text: 'my "usage" and "error"' } };
    const delta = { type: "message_delta", usage: { output_tokens: 9, input_tokens: null } };
    const cut = readStream(ANTHROPIC_WIRE, [start, text, tool]);
    expect(cut).toMatchObject({ tokens: tokens({ input: 5, cacheRead: 3, output: 1 }), isWhole: false, toolCalls: 1 });
    expect(readStream(ANTHROPIC_WIRE, [start, text, tool, delta])).toEqual({
      ...{ model: "claude-x-1", toolCalls: 1, error: null, isWhole: true },
      tokens: tokens({ input: 5, cacheRead: 3, output: 9 }),
    });
    const error = { type: "error", error: { type: "overloaded_error", message: "busy" } };
    expect(readStream(ANTHROPIC_WIRE, [start, error])).toMatchObject({
      isWhole: false,
      error: { type: "overloaded_error", message: "busy" },
    });
  });

  it("knows nothing of what says nothing", () => {
    for (const body of [
      null,
      [],
      "text",
      {},
      { usage: { input_tokens: 1 } },
      { usage: { input_tokens: 1.5, output_tokens: 1 } },
      { usage: { input_tokens: -1, output_tokens: 1 } },
      { usage: { input_tokens: 1, output_tokens: 1e9 + 1 } },
    ])
      expect(ANTHROPIC_WIRE.readAnswer(body as JsonValue).tokens).toBeNull();
    expect(readStream(ANTHROPIC_WIRE, [])).toMatchObject({ tokens: null, isWhole: false });
    const begun = { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } };
    const said = (usage: JsonObject): JsonObject => ({ type: "message_delta", usage });
    expect(readStream(ANTHROPIC_WIRE, [begun, said({})])).toMatchObject({ isWhole: false });
    expect(readStream(ANTHROPIC_WIRE, [begun, said({ output_tokens: -3 })])).toMatchObject({ tokens: null });
  });
});

describe("OpenAI Responses", () => {
  const USAGE = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 12 },
  };
  const COUNTED = tokens({ input: 30, cacheRead: 60, cacheWrite: 10, output: 20, reasoning: 12 });

  it("reads what a request asks for", () => {
    expect(facts(RESPONSES_WIRE, { model: "m", input: "hi", stream: true, max_output_tokens: 9 })).toEqual({
      ...{ model: "m", streams: true, maxOutput: 9, copies: 1, cache: "short", unseen: 0 },
    });
  });

  it("sees that content lies elsewhere", () => {
    const seen = (body: JsonObject): unknown =>
      (facts(RESPONSES_WIRE, { model: "m", ...body }) as RequestFacts).unseen === null;
    const part = (content: JsonObject): JsonObject => ({ input: [{ role: "user", content: [content] }] });
    expect(seen({ previous_response_id: "r" })).toBe(true);
    expect(seen({ conversation: { id: "c" } })).toBe(true);
    expect(seen({ input: [{ type: "item_reference", id: "i" }] })).toBe(true);
    expect(seen(part({ type: "input_file", file_id: "f" }))).toBe(true);
    expect(seen(part({ type: "input_file", file_url: "https://x" }))).toBe(true);
    expect(seen(part({ type: "input_image", image_url: "https://x" }))).toBe(true);
    expect(seen(part({ type: "input_image", image_url: "data:image/png;base64,aa" }))).toBe(false);
    expect(seen({ previous_response_id: null, tools: [{ parameters: { properties: { file_id: "x" } } }] })).toBe(false);
  });

  it.each([
    [{}, "it names no model"],
    [{ model: "m", max_output_tokens: 1.5 }, "max_output_tokens is not a whole number"],
    [{ model: "m", background: true }, "an answer in the background cannot be metered"],
  ])("refuses %j", (body, problem) => {
    expect(facts(RESPONSES_WIRE, body)).toBe(problem);
  });

  it("takes what was cached out of the input, and leaves what was thought in the output", () => {
    const output = [{ type: "message" }, { type: "function_call" }, { type: "custom_tool_call" }];
    expect(RESPONSES_WIRE.readAnswer({ model: "m-1", usage: USAGE, output })).toEqual({
      ...{ model: "m-1", tokens: COUNTED, isWhole: true, toolCalls: 2, error: null },
    });
  });

  it("reads a stream, which tells all at its end", () => {
    const created = { type: "response.created", response: { model: "m-1", usage: null } };
    const said = { type: "response.output_text.delta", delta: '"usage"' };
    const completed = { type: "response.completed", response: { model: "m-1", usage: USAGE, output: [] } };
    expect(readStream(RESPONSES_WIRE, [created, said])).toMatchObject({ model: "m-1", tokens: null, isWhole: false });
    expect(readStream(RESPONSES_WIRE, [created, said, completed])).toMatchObject({ tokens: COUNTED, isWhole: true });
    const failed = {
      type: "response.failed",
      response: { usage: USAGE, error: { code: "server_error", message: "x" } },
    };
    expect(readStream(RESPONSES_WIRE, [created, failed])).toMatchObject({
      ...{ model: "m-1", tokens: COUNTED, isWhole: true, error: { type: "server_error", message: "x" } },
    });
    expect(readStream(RESPONSES_WIRE, [{ type: "error", code: "rate", message: "slow" }]).error).toEqual({
      ...{ type: "rate", message: "slow" },
    });
    expect(readStream(RESPONSES_WIRE, [{ type: "error", error: { type: "bad" } }]).error).toEqual({
      ...{ type: "bad", message: "" },
    });
  });
});

describe("OpenAI Chat Completions", () => {
  const USAGE = {
    prompt_tokens: 50,
    completion_tokens: 11,
    prompt_tokens_details: { cached_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  const COUNTED = tokens({ input: 30, cacheRead: 20, output: 11, reasoning: 4 });

  it("reads what a request asks for, the larger limit and every copy", () => {
    const body = { model: "m", messages: [], max_tokens: 5, max_completion_tokens: 9, n: 3 };
    expect(facts(CHAT_WIRE, body)).toEqual({
      ...{ model: "m", streams: false, maxOutput: 9, copies: 3, cache: "short", unseen: 0 },
    });
    expect(facts(CHAT_WIRE, { model: "m", n: 0 })).toMatchObject({ copies: 1 });
  });

  it("sees that content lies elsewhere", () => {
    const seen = (part: JsonObject): unknown =>
      (facts(CHAT_WIRE, { model: "m", messages: [{ role: "user", content: [part] }] }) as RequestFacts).unseen === null;
    expect(seen({ type: "image_url", image_url: { url: "https://x" } })).toBe(true);
    expect(seen({ type: "file", file: { file_id: "f" } })).toBe(true);
    expect(seen({ type: "image_url", image_url: { url: "data:image/png;base64,aa" } })).toBe(false);
  });

  it.each([
    [{}, "it names no model"],
    [{ model: "m", max_tokens: "x" }, "its limit of output is not a whole number"],
    [{ model: "m", n: 1.5 }, "n is not a whole number up to 1000"],
    [{ model: "m", n: 1001 }, "n is not a whole number up to 1000"],
  ])("refuses %j", (body, problem) => {
    expect(facts(CHAT_WIRE, body)).toBe(problem);
  });

  it("counts, whatever a provider calls what was cached", () => {
    const choices = [{ message: { tool_calls: [{}, {}] } }];
    expect(CHAT_WIRE.readAnswer({ model: "m-1", usage: USAGE, choices })).toEqual({
      ...{ model: "m-1", tokens: COUNTED, isWhole: true, toolCalls: 2, error: null },
    });
    const other = { prompt_tokens: 50, completion_tokens: 1, prompt_cache_hit_tokens: 40 };
    expect(CHAT_WIRE.readAnswer({ usage: other }).tokens).toEqual(tokens({ input: 10, cacheRead: 40, output: 1 }));
  });

  it("asks a stream to tell what it took, and hides that from who did not ask", () => {
    expect(CHAT_WIRE.askForUsage?.({ model: "m" })).toBeNull();
    expect(CHAT_WIRE.askForUsage?.({ stream: true, stream_options: { include_usage: true } })).toBeNull();
    const asked = CHAT_WIRE.askForUsage?.({ model: "m", stream: true, stream_options: { x: 1 } });
    expect(asked?.body).toEqual({ model: "m", stream: true, stream_options: { x: 1, include_usage: true } });
    expect(asked?.isAdded({ choices: [], usage: USAGE })).toBe(true);
    expect(asked?.isAdded({ choices: [{}], usage: USAGE })).toBe(false);
    expect(asked?.isAdded({ choices: [], usage: null })).toBe(false);
  });

  it("reads a stream", () => {
    const call = (id: string | null): JsonObject => ({ choices: [{ delta: { tool_calls: [{ id }] } }], model: "m-1" });
    const last = { choices: [], usage: USAGE, model: "m-1" };
    const events = [call("a"), call(null), call("b"), last];
    expect(readStream(CHAT_WIRE, events)).toEqual({
      ...{ model: "m-1", tokens: COUNTED, isWhole: true, toolCalls: 2, error: null },
    });
    expect(readStream(CHAT_WIRE, [call("a")])).toMatchObject({ tokens: null, isWhole: false });
    expect(readStream(CHAT_WIRE, [last, call("a")])).toMatchObject({ tokens: COUNTED, isWhole: true });
    expect(readStream(CHAT_WIRE, [{ error: { message: "no", code: "c" } }]).error).toEqual({
      type: "c",
      message: "no",
    });
  });
});

describe("a stream of chat that tells with every word what it took so far", () => {
  const word = (output: number, finish: string | null): JsonObject => ({
    choices: [{ delta: { content: "a" }, finish_reason: finish }],
    usage: { prompt_tokens: 5, completion_tokens: output },
  });

  it("is whole only when it was told with the last one", () => {
    expect(readStream(CHAT_WIRE, [word(1, null)])).toMatchObject({ tokens: { output: 1 }, isWhole: false });
    expect(readStream(CHAT_WIRE, [word(1, null), word(2, "stop")])).toMatchObject({
      tokens: { output: 2 },
      isWhole: true,
    });
  });

  it("is not whole again when another copy goes on", () => {
    expect(readStream(CHAT_WIRE, [word(2, "stop"), word(3, null)])).toMatchObject({ isWhole: false });
  });
});

describe("Gemini", () => {
  const USAGE = {
    promptTokenCount: 40,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 6,
    thoughtsTokenCount: 4,
    toolUsePromptTokenCount: 5,
  };
  const COUNTED = tokens({ input: 15, cacheRead: 30, output: 10, reasoning: 4 });

  it("reads what a request asks for, the model from its address", () => {
    const body = { contents: [], generationConfig: { maxOutputTokens: 8, candidateCount: 2 } };
    expect(facts(GEMINI_WIRE, body, { model: "g", streams: true })).toEqual({
      ...{ model: "g", streams: true, maxOutput: 8, copies: 2, cache: "none", unseen: 0 },
    });
    expect(facts(GEMINI_WIRE, { generation_config: { max_output_tokens: 3 } }, { model: "g" })).toMatchObject({
      ...{ maxOutput: 3, copies: 1, streams: false },
    });
  });

  it("sees that content lies elsewhere", () => {
    const seen = (body: JsonObject): unknown =>
      (facts(GEMINI_WIRE, body, { model: "g" }) as RequestFacts).unseen === null;
    expect(seen({ cachedContent: "c" })).toBe(true);
    expect(seen({ contents: [{ parts: [{ fileData: { fileUri: "x" } }] }] })).toBe(true);
    expect(seen({ contents: [{ parts: [{ inlineData: { data: "x" } }] }] })).toBe(false);
  });

  it.each([
    [{}, {}, "it names no model"],
    [{ generationConfig: { maxOutputTokens: "x" } }, { model: "g" }, "maxOutputTokens is not a whole number"],
    [{ generationConfig: { candidateCount: 0.5 } }, { model: "g" }, "candidateCount is not a whole number up to 1000"],
  ])("refuses %j at %j", (body, address, problem) => {
    expect(facts(GEMINI_WIRE, body, address)).toBe(problem);
  });

  it("counts what was thought as output, and takes what was cached out of the prompt", () => {
    const candidates = [{ finishReason: "STOP", content: { parts: [{ functionCall: { name: "f" } }, { text: "x" }] } }];
    const answer = { candidates, usageMetadata: USAGE, modelVersion: "g-1" };
    expect(GEMINI_WIRE.readAnswer(answer)).toEqual({
      ...{ model: "g-1", tokens: COUNTED, isWhole: true, toolCalls: 1, error: null },
    });
    expect(GEMINI_WIRE.readAnswer([{ candidates: [] }, answer])).toMatchObject({ tokens: COUNTED, isWhole: true });
  });

  it("reads a stream: each event tells the total so far, and only the last is whole", () => {
    const first = { candidates: [{ content: { parts: [{ text: "a" }] } }], usageMetadata: { promptTokenCount: 40 } };
    const last = { candidates: [{ finishReason: "STOP" }], usageMetadata: USAGE };
    expect(readStream(GEMINI_WIRE, [first])).toMatchObject({ tokens: tokens({ input: 40 }), isWhole: false });
    expect(readStream(GEMINI_WIRE, [first, last])).toMatchObject({ tokens: COUNTED, isWhole: true });
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 4 } };
    expect(readStream(GEMINI_WIRE, [blocked])).toMatchObject({ tokens: tokens({ input: 4 }), isWhole: true });
    expect(GEMINI_WIRE.readAnswer({ error: { status: "RESOURCE_EXHAUSTED", message: "no" } }).error).toEqual({
      ...{ type: "RESOURCE_EXHAUSTED", message: "no" },
    });
  });
});

describe("errors", () => {
  const refusal = { status: 402, code: "GATEWAY_BUDGET_REACHED", message: "No." };

  it("have the form of each wire", () => {
    expect(ANTHROPIC_WIRE.errorBody(refusal)).toEqual({
      ...{ type: "error", error: { type: "billing_error", message: "No. [GATEWAY_BUDGET_REACHED]" } },
    });
    const openAi = {
      error: { message: "No.", type: "insufficient_quota", param: null, code: "GATEWAY_BUDGET_REACHED" },
    };
    expect(RESPONSES_WIRE.errorBody(refusal)).toEqual(openAi);
    expect(CHAT_WIRE.errorBody(refusal)).toEqual(openAi);
    expect(GEMINI_WIRE.errorBody(refusal)).toEqual({
      error: { code: 402, message: "No. [GATEWAY_BUDGET_REACHED]", status: "RESOURCE_EXHAUSTED" },
    });
  });

  it("are of the server where the status says so", () => {
    const at = { ...refusal, status: 502 };
    expect(ANTHROPIC_WIRE.errorBody(at)).toMatchObject({ error: { type: "api_error" } });
    expect(CHAT_WIRE.errorBody(at)).toMatchObject({ error: { type: "server_error" } });
    expect(CHAT_WIRE.errorBody({ ...refusal, status: 400 })).toMatchObject({
      error: { type: "invalid_request_error" },
    });
    expect(GEMINI_WIRE.errorBody(at)).toMatchObject({ error: { status: "INTERNAL" } });
  });
});
