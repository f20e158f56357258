import { describe, expect, it } from "vitest";
import { type Pattern, readPattern } from "./pattern.ts";

function pattern(source: string, lines = false): Pattern {
  const read = readPattern(source, { lines });
  if (!read.ok) throw new Error(read.problem);
  return read.pattern;
}

describe("readPattern", () => {
  it("finds the first group of every match, by line where that was asked for", () => {
    const text = "score: 1.5\nnoise\nscore: 2\n";
    expect([...pattern("^score: ([0-9.]+)$", true).matches(text)]).toEqual(["1.5", "2"]);
    expect([...pattern("^score: ([0-9.]+)").matches(text)]).toEqual(["1.5"]);
    expect([...pattern("a(b)?").matches("a ab")]).toEqual([null, "b"]);
    expect([pattern("b$", true).test("ab\nc"), pattern("b$").test("ab\nc")]).toEqual([true, false]);
    expect(pattern("(a)(b)").groups).toBe(2);
  });

  it("refuses what a linear engine cannot do and what is too large", () => {
    const problem = (source: string): string => {
      const read = readPattern(source, { lines: true });
      return read.ok ? "" : read.problem;
    };
    expect(["(?=x)(y)", "(?<!x)(y)", "(x)\\1", "(\\d+", "((a{0,50}){0,19})", "x".repeat(1001)].map(problem)).toEqual([
      "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
      "error parsing regexp: invalid named capture: `(?<!x)(y)`",
      "error parsing regexp: invalid escape sequence: `\\1`",
      "error parsing regexp: missing closing ): `(\\d+`",
      "it repeats too much: bounds such as {0,50} are written out",
      "it is longer than 1000 characters",
    ]);
  });

  it.each(["(a+)+$", "(a|aa)+$", "(.*a){20}", "([a-z]+)*!"])("matches %s against a long text at once", (source) => {
    expect(pattern(source).test(`${"a".repeat(50_000)}b`)).toBe(source === "(.*a){20}");
  });
});
