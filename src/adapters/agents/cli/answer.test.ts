import { expect, test } from "vitest";
import { answerIn, formOf } from "./answer.ts";

test.for([
  ['{"outcome":"accept"}', { outcome: "accept" }],
  ['Here it is:\n```json\n{"outcome":"reject","why":"a {b} c"}\n```', { outcome: "reject", why: "a {b} c" }],
  ['{ not json } and then {"a":{"b":1}}', { a: { b: 1 } }],
  ["no answer", undefined],
  ["}{", undefined],
  ["{{{{", undefined],
] as const)("in %j the answer is %j", ([text, answer]) => {
  expect(answerIn(text)).toEqual(answer);
});

test("the schema stands in the task", () => {
  expect(formOf({ type: "object" })).toContain('{"type":"object"}');
});
