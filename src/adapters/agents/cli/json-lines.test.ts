import { expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import { createJsonLines } from "./json-lines.ts";

function heard(chunks: readonly string[], mostBytes?: number): { said: JsonObject[]; took: boolean[] } {
  const said: JsonObject[] = [];
  const lines = createJsonLines((message) => said.push(message), mostBytes);
  return { took: chunks.map((chunk) => lines.push(Buffer.from(chunk, "latin1"))), said };
}

test("messages are found wherever the bytes are cut", () => {
  const text = Buffer.from('{"a":"é"}\n\n{"b":2}\r\n{"c"').toString("latin1");
  for (let at = 0; at <= text.length; at += 1) {
    expect(heard([text.slice(0, at), text.slice(at)]).said).toEqual([{ a: "é" }, { b: 2 }]);
  }
});

test("noise between messages is left out", () => {
  expect(heard(['warning: x\n[1]\n"text"\n{broken\n{"a":1}\n']).said).toEqual([{ a: 1 }]);
});

test("a line that never ends is not kept, and nothing is read after it", () => {
  expect(heard(['{"a":1}\n', "x".repeat(60), "x".repeat(60), '\n{"b":2}\n'], 100)).toEqual({
    said: [{ a: 1 }],
    took: [true, true, false, false],
  });
});

test("a message that is nested beyond reason is noise", () => {
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(heard([`{"a":${nested}}\n{"b":2}\n`])).toEqual({ said: [{ b: 2 }], took: [true] });
});
