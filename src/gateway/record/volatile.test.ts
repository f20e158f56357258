import { describe, expect, it } from "vitest";
import { canonical, type JsonObject } from "../../base/json.ts";
import { withoutVolatile } from "./volatile.ts";

const codex = (n: number, change: JsonObject = {}): JsonObject => ({
  model: "gpt-5.5",
  prompt_cache_key: `key-${n}`,
  client_metadata: { session_id: `s${n}` },
  input: [
    { type: "message", id: `msg_${n}`, role: "user", content: [{ type: "input_text", text: "Fix it." }] },
    { type: "message", id: `msg_x${n}`, content: `<current_date>2026-11-1${n}</current_date>` },
    { type: "function_call", id: `fc_${n}`, call_id: "call_1", name: "exec_command", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: `Chunk ID: ab${n}\nWall time: 0.${n} seconds\nexit 0` },
  ],
  ...change,
});
const gemini = (first: string, second: string): JsonObject => ({
  contents: [
    { parts: [{ functionCall: { id: first, name: "read", args: { id: "kept" } } }] },
    { parts: [{ functionResponse: { id: second, name: "read", response: { output: "x" } } }] },
  ],
});
const same = (wire: "responses" | "gemini" | "anthropic", a: JsonObject, b: JsonObject): boolean =>
  canonical(withoutVolatile(wire, a)) === canonical(withoutVolatile(wire, b));

describe("what differs each time", () => {
  it("makes no other question of what Codex asks", () => {
    expect(same("responses", codex(1), codex(2))).toBe(true);
  });

  it("is named one by one: whatever else changes makes another question", () => {
    const [message, ...others] = codex(1)["input"] as JsonObject[];
    const changed: readonly JsonObject[] = [
      { model: "gpt-5.6" },
      { tools: [{ type: "function", name: "x" }] },
      { input: others },
      { input: [{ ...message, role: "developer" }, ...others] },
      { input: [{ ...message, content: [{ type: "input_text", text: "Fix it!" }] }, ...others] },
      { input: [message as JsonObject, ...others.map((item) => ({ ...item, call_id: "call_2" }))] },
      { input: [{ type: "item_reference", id: "one" }] },
    ];
    for (const change of changed) expect(same("responses", codex(1), codex(1, change))).toBe(false);
    const reference = (id: string): JsonObject => ({ input: [{ type: "item_reference", id }] });
    expect(same("responses", reference("one"), reference("two"))).toBe(false);
    expect(same("responses", { input: "a" }, { input: "b" })).toBe(false);
  });

  it("joins calls and results of Gemini CLI by their order, and by nothing else", () => {
    expect(same("gemini", gemini("run_1_0", "run_1_0"), gemini("run_2_0", "run_2_0"))).toBe(true);
    expect(same("gemini", gemini("run_1_0", "run_1_0"), gemini("run_1_0", "run_1_1"))).toBe(false);
    expect(same("gemini", {}, { contents: [] })).toBe(false);
  });

  it("is in the text of every client only where it is written by the client", () => {
    const day = (text: string): JsonObject => ({ messages: [{ content: [{ type: "text", text }] }] });
    expect(same("anthropic", day("Today's date is 2026-11-18."), day("Today's date is 2026-11-19."))).toBe(true);
    expect(same("anthropic", day("Pay on 2026-11-18."), day("Pay on 2026-11-19."))).toBe(false);
    expect(same("anthropic", { ...day("x"), metadata: { user_id: "a" } }, day("x"))).toBe(true);
  });
});
