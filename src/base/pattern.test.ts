import { describe, expect, it } from "vitest";
import { readPattern } from "./pattern.ts";

function pattern(source: string) {
  const read = readPattern(source);
  if (!read.ok) throw new Error(read.problem);
  return read.pattern;
}

describe("readPattern", () => {
  it("finds the first group of every match, line by line", () => {
    expect(pattern("^score: ([0-9.]+)$").all("score: 1.5\nnoise\nscore: 2\n")).toEqual(["1.5", "2"]);
    expect(pattern("[0-9]+").all("a1b22")).toEqual(["1", "22"]);
    expect(pattern("a(b)?").all("a ab")).toEqual(["", "b"]);
    expect(pattern("b$").test("ab\nc")).toBe(true);
    expect(pattern("b$").test("abc")).toBe(false);
  });

  it.each([["(?=a)b"], ["(a)\\1"], ["("], ["a{2000}"]])(
    "refuses %s, which would need backtracking or is no pattern",
    (source) => {
      expect(readPattern(source)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    },
  );

  it.each([["(a+)+$"], ["(a|aa)+$"], ["(.*a){20}"], ["([a-z]+)*!"]])(
    "matches %s against a long text at once",
    (source) => {
      expect(pattern(source).test(`${"a".repeat(50_000)}b`)).toBeTypeOf("boolean");
    },
  );
});
