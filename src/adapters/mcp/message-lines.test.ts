import { expect, test } from "vitest";
import { createMessageLines } from "./message-lines.ts";

test("a server asks only so much: each question is answered, and who reads no answer would let them pile up", () => {
  let heard = 0;
  const lines = createMessageLines(() => {
    heard += 1;
  });
  const many = (line: string): Buffer => Buffer.from(`${line}\n`.repeat(Math.ceil((1 << 19) / line.length)));
  const question = many('{"jsonrpc":"2.0","id":7,"method":"ping"}');
  expect(lines.push(question)).toBeUndefined();
  expect(heard).toBeGreaterThan(10_000);
  // What it tells, and what it answers, is no question.
  for (const line of ['{"jsonrpc":"2.0","method":"notifications/message"}', '{"jsonrpc":"2.0","id":7,"result":{}}'])
    for (const _ of [1, 2, 3]) expect(lines.push(many(line))).toBeUndefined();
  expect(lines.push(question)).toBe("it asked more than 1 MiB of questions, and we offer it nothing");
});

test("a message that is nested beyond reason is noise, and ends nothing", () => {
  const heard: unknown[] = [];
  const lines = createMessageLines((message) => heard.push(message));
  const deep = `{"jsonrpc":"2.0","result":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
  expect(lines.push(Buffer.from(`${deep}\n{"jsonrpc":"2.0","id":1}\n`))).toBeUndefined();
  expect(heard).toEqual([{ jsonrpc: "2.0", id: 1 }]);
  // Too much of it is the end of the server, as any noise.
  expect(lines.push(Buffer.from(`${deep}\n${deep}\n`))).toContain("no messages");
});
