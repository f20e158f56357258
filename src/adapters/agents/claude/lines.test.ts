import { expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import { createLineReader } from "./lines.ts";

function read(chunks: readonly Uint8Array[], most = 1000): { messages: JsonObject[]; ok: boolean[] } {
  const messages: JsonObject[] = [];
  const reader = createLineReader(most, (message) => messages.push(message));
  return { messages, ok: chunks.map((chunk) => reader.write(chunk)) };
}

test("reads the same lines wherever they are cut", () => {
  const bytes = Buffer.from('{"a":"grüße"}\n\nnote\n[1]\n{"half\n{"b":2}\n');
  const expected = [{ a: "grüße" }, { b: 2 }];
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)]).messages).toEqual(expected);
});

test("passes over what has no end yet", () => {
  expect(read([Buffer.from('{"a":1}\n{"b":2}')]).messages).toEqual([{ a: 1 }]);
});

test("reads no line that is too long", () => {
  expect(read([Buffer.from("x".repeat(11))], 10)).toEqual({ messages: [], ok: [false] });
  expect(read([Buffer.from(`{"a":"${"x".repeat(9)}"}\n{}\n`)], 10)).toEqual({ messages: [], ok: [false] });
  expect(read([Buffer.from('{"a":1}\n'), Buffer.from("{}\n")], 10).ok).toEqual([true, true]);
});

test("a line that is nested beyond reason is passed over, and ends nothing", () => {
  const heard: unknown[] = [];
  const reader = createLineReader(1 << 20, (message) => heard.push(message));
  const deep = `{"type":"x","input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(reader.write(Buffer.from(`${deep}\n{"type":"y"}\n`))).toBe(true);
  expect(heard).toEqual([{ type: "y" }]);
});
