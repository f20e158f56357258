import { expect, test } from "vitest";
import { createRecent, lastOf } from "./recent.ts";

test("of calls that never end the oldest is forgotten", () => {
  const recent = createRecent<number>(2);
  for (const [at, id] of ["a", "b", "a", "c"].entries()) recent.set(id, at);
  expect(["a", "b", "c"].map(recent.get)).toEqual([2, undefined, 3]);
  recent.forget("a");
  expect(["a", "c"].map(recent.get)).toEqual([undefined, 3]);
});

test("of words without an end the last ones are kept", () => {
  expect(lastOf("abcdef", 3)).toBe("abcdef");
  expect(lastOf("abcdefg", 3)).toBe("efg");
});
