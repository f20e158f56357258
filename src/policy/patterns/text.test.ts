import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { compileText, expandText, matchesGlob, matchesInert, textProblem } from "./text.ts";

describe("compileText", () => {
  it.each<[string, string, boolean]>([
    ["npm", "npm", true],
    ["npm", "npmx", false],
    ["*", "", true],
    ["--{check,list}*", "--list-files", true],
    ["--{check,list}*", "--write", false],
    ["{print $1}", "{print $1}", true],
    ["{a,b}", "{a,b}", true],
    ["{a,b}", "c", false],
    ["{a,b", "{a,b", true],
  ])("%s against %s is %s", (pattern, text, expected) => {
    expect(compileText(pattern)(text)).toBe(expected);
  });

  it("refuses choices that cannot be told", () => {
    const problem = "has braces that are not closed, or give more than 64 alternatives";
    for (const pattern of ["{a,b}".repeat(7), "{{a,b}"]) {
      expect(textProblem(pattern)).toBe(problem);
      expect(() => compileText(pattern)).toThrow(problem);
    }
    expect(["{a,b}", "{a", "a"].map(textProblem)).toEqual([undefined, undefined, undefined]);
  });

  it("says which choices there are", () => {
    expect(expandText("{a,b}c")).toEqual(["{a,b}c", "ac", "bc"]);
  });
});

describe("matchesInert", () => {
  it.each<[string, string, boolean]>([
    ["make *", "make all", true],
    ["make *", "make -j4 all", true],
    ["make *", "make", false],
    ["make *", "make all; rm x", false],
    ["make *", "make $(x)", false],
    ["make *", "make a\nrm b", false],
    ["make *", "make 'a'", false],
    ["*; echo *", "ls a; echo b", true],
    ["*; echo *", "ls a; b; echo c", false],
    ["*; echo *", "ls a| echo c", false],
    ["a | b", "a | b", true],
    ["a 'x *'", "a 'x y'", true],
    ["*", "ls > x", false],
  ])("%s against %j is %s", (pattern, text, expected) => {
    expect(matchesInert(pattern, text)).toBe(expected);
  });
});

/** Slow and obvious: what `matchesGlob` must agree with. */
function slowly(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern[0] !== "*") return text[0] === pattern[0] && slowly(pattern.slice(1), text.slice(1));
  return slowly(pattern.slice(1), text) || (text !== "" && slowly(pattern, text.slice(1)));
}

describe("matchesGlob", () => {
  it("agrees with the obvious definition", () => {
    const short = (letters: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...letters), maxLength });
    assertProperty(
      fc.property(short("ab*", 8), short("ab", 12), (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(slowly(pattern, text));
      }),
      { runs: 3000 },
    );
  });

  it("does not let head and tail share characters", () => {
    expect(matchesGlob("ab*ba", "aba")).toBe(false);
    expect(matchesGlob("ab*ba", "abba")).toBe(true);
  });

  it("comes to an end on patterns made to be slow", () => {
    const text = "a".repeat(200_000);
    expect(matchesGlob(`*${"a".repeat(1000)}b*`, text)).toBe(false);
    expect(matchesGlob("*a".repeat(1000), `${text}b`)).toBe(false);
    expect(matchesGlob(`${"*a".repeat(1000)}*`, text)).toBe(true);
  });
});
