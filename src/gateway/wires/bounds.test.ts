/** What a call can take in the worst case, where the request does not hold all of it; and what a total leaves out. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { NO_TOKENS } from "../../limits/prices/tokens.ts";
import { ANTHROPIC_WIRE } from "./anthropic.ts";
import { CHAT_WIRE } from "./chat.ts";
import { GEMINI_WIRE } from "./gemini.ts";
import { RESPONSES_WIRE } from "./responses.ts";
import type { Wire } from "./wire.ts";

/** How much it may read that is not in it; a sentence when it cannot be metered. */
function reads(wire: Wire, body: JsonObject): number | null | string {
  const reading = wire.readRequest({ model: "m", ...body }, { model: "m" });
  return reading.ok ? reading.facts.unseen : reading.problem;
}

const typed = (...types: readonly string[]): JsonObject => ({ tools: types.map((type) => ({ type, name: "x" })) });
const LINK = { type: "image", source: { type: "url", url: "https://x" } };

const BROUGHT = 100_000;

describe("what the provider brings by itself", () => {
  it("is seen in a tool of Anthropic", () => {
    const hosted = ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825", "anything_new"];
    for (const type of hosted) expect(reads(ANTHROPIC_WIRE, typed("custom", type))).toBe(BROUGHT);
    const own = ["custom", "bash_20250124", "text_editor_20250728", "computer_20251124", "memory_20250818"];
    expect(reads(ANTHROPIC_WIRE, typed(...own))).toBe(0);
    expect(reads(ANTHROPIC_WIRE, { mcp_servers: [{ type: "url", url: "https://x" }] })).toBe(BROUGHT);
    expect(reads(ANTHROPIC_WIRE, { mcp_servers: [], tools: [{ name: "f" }, null] })).toBe(0);
  });

  it("is seen in a tool of OpenAI", () => {
    for (const type of ["web_search", "file_search", "code_interpreter", "mcp", "anything_new"]) {
      expect(reads(RESPONSES_WIRE, typed("function", type))).toBe(BROUGHT);
      expect(reads(CHAT_WIRE, typed("function", type))).toBe(BROUGHT);
    }
    expect(reads(RESPONSES_WIRE, typed("function", "custom", "local_shell", "apply_patch"))).toBe(0);
    expect(reads(CHAT_WIRE, typed("function", "custom"))).toBe(0);
    expect(reads(CHAT_WIRE, { web_search_options: {} })).toBe(BROUGHT);
  });

  it("is seen in a tool of Gemini", () => {
    for (const tool of ["googleSearch", "url_context", "codeExecution", "anythingNew"])
      expect(reads(GEMINI_WIRE, { tools: [{ functionDeclarations: [] }, { [tool]: {} }] })).toBe(BROUGHT);
    expect(reads(GEMINI_WIRE, { tools: [{ function_declarations: [] }, { computerUse: {} }, null] })).toBe(0);
  });
});

describe("what the result of a tool refers to", () => {
  it("is seen however deep it lies", () => {
    const document = { type: "document", source: { type: "content", content: [LINK] } };
    const result = { type: "tool_result", content: [document] };
    expect(reads(ANTHROPIC_WIRE, { messages: [{ role: "user", content: [result] }] })).toBeNull();
    const output = [{ type: "input_file", file_id: "f" }];
    expect(reads(RESPONSES_WIRE, { input: [{ type: "function_call_output", output }] })).toBeNull();
    const parts = [{ file_data: { file_uri: "x" } }];
    expect(reads(GEMINI_WIRE, { contents: [{ parts: [{ functionResponse: { parts } }] }] })).toBeNull();
    expect(reads(GEMINI_WIRE, { systemInstruction: { parts } })).toBeNull();
  });

  it("is not what a tool was given, nor the data that it gave back", () => {
    expect(reads(ANTHROPIC_WIRE, { messages: [{ content: [{ type: "tool_use", input: LINK }] }] })).toBe(0);
    const response = { fileData: { fileUri: "x" } };
    expect(reads(GEMINI_WIRE, { contents: [{ parts: [{ functionResponse: { response } }] }] })).toBe(0);
    expect(reads(GEMINI_WIRE, { contents: [{ parts: [{ functionCall: { args: response } }] }] })).toBe(0);
  });
});

describe("a tier whose price nobody knows", () => {
  it.each([
    [ANTHROPIC_WIRE, "speed", ["standard"], ["fast"]],
    [RESPONSES_WIRE, "service_tier", ["auto", "default", "flex"], ["priority", "fast", 7]],
    [CHAT_WIRE, "service_tier", ["auto", "default", "flex"], ["priority", "fast", 7]],
    [GEMINI_WIRE, "serviceTier", ["standard", "FLEX"], ["priority"]],
  ])("is refused, and others are not", (wire, name, usual, dear) => {
    for (const tier of [...usual, null]) expect(reads(wire, { [name]: tier })).toBe(0);
    for (const tier of dear) expect(reads(wire, { [name]: tier })).toBe(`nobody knows what this ${name} costs`);
  });
});

describe("a summary that Anthropic makes, and advice that it asks for", () => {
  const step = (type: string, input: number, output: number): JsonObject => ({
    ...{ type, input_tokens: input, output_tokens: output, cache_read_input_tokens: 1 },
  });
  const iterations = [step("compaction", 180, 35), step("message", 23, 10), step("advisor_message", 8, 2)];
  const usage = { input_tokens: 23, output_tokens: 10, cache_read_input_tokens: 1, iterations };
  const tokens = { ...NO_TOKENS, input: 211, cacheRead: 3, output: 47 };

  it("are counted besides the totals, which leave them out", () => {
    expect(ANTHROPIC_WIRE.readAnswer({ usage })).toMatchObject({ tokens, isWhole: true });
    const reader = ANTHROPIC_WIRE.createStreamReader();
    reader.read({ type: "message_start", message: { usage: { input_tokens: 23, output_tokens: 1 } } });
    reader.read({ type: "message_delta", usage });
    expect(reader.reading()).toMatchObject({ tokens, isWhole: true });
  });

  it("leave the answer unknown when they cannot be read", () => {
    const unread = { ...usage, iterations: [{ type: "compaction" }, ...iterations] };
    expect(ANTHROPIC_WIRE.readAnswer({ usage: unread })).toMatchObject({ tokens: null, isWhole: false });
  });
});
