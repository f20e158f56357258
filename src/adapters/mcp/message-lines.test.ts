import { expect, test } from "vitest";
import { createMessageLines } from "./message-lines.ts";

test("a message that is nested beyond reason is noise, and ends nothing", () => {
  const heard: unknown[] = [];
  const lines = createMessageLines((message) => heard.push(message));
  const deep = `{"jsonrpc":"2.0","result":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
  expect(lines.push(Buffer.from(`${deep}\n{"jsonrpc":"2.0","id":1}\n`))).toBeUndefined();
  expect(heard).toEqual([{ jsonrpc: "2.0", id: 1 }]);
  // Too much of it is the end of the server, as any noise.
  expect(lines.push(Buffer.from(`${deep}\n${deep}\n`))).toContain("no messages");
});
