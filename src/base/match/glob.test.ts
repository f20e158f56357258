import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { alternatives, compileGlob, globProblem, matchesPath, normalisePath } from "./glob.ts";

describe("matchesPath", () => {
  it.each<[string, string, boolean]>([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/**", "srcs/a", false],
    ["src/*", "src/a", true],
    ["src/*", "src/a/b", false],
    ["src/*", "src", false],
    ["**/*.key", "a.key", true],
    ["**/*.key", "x/.y/a.key", true],
    ["**/*.key", "x/.key", true],
    ["**/*.key", "x/a.keys", false],
    ["a/**/b/**/c", "a/b/x/b/y/c", true],
    ["a/**/b/**/c", "a/x/c", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["*a*b?", "xaaxbb", true],
    ["{a,b}/c", "b/c", true],
    ["{a,b}/c", "c/c", false],
    ["{a,b{c,d}}.ts", "bd.ts", true],
    ["{,/}**/.ssh/**", "/home/me/.ssh/id", true],
    ["{,/}**/.ssh/**", ".ssh", true],
    [".env", ".env", true],
    ["*", ".env", true],
    ["**", "anything/below", true],
    ["**", ".", true],
    ["./src//a.ts", "src/./x/../a.ts", true],
    ["src/a.ts", "src\\a.ts", true],
    ["**", "../outside", false],
    ["**", "a/../../outside", false],
    ["**", "/etc/passwd", false],
    ["/etc/**", "/etc/passwd", true],
    ["/etc/**", "/../etc/./passwd", true],
    ["/etc/**", "etc/passwd", false],
    ["/**", "/", true],
    ["../**", "../../up", true],
    ["../**", "..", true],
    ["../*", "../..", false],
    ["../*", "../a", true],
    ["../a", "a", false],
  ])("%s against %s is %s", (glob, path, expected) => {
    expect(matchesPath(glob, path)).toBe(expected);
  });

  it("agrees with the obvious definition", () => {
    const globs = fc.array(fc.constantFrom("**", "*", "a", "b", "a*", "?b", "*a*b"), { minLength: 1, maxLength: 5 });
    const paths = fc.array(fc.constantFrom("a", "b", "ab", "aab", "ba"), { minLength: 1, maxLength: 6 });
    assertProperty(
      fc.property(globs, paths, (glob, path) => {
        expect(matchesPath(glob.join("/"), path.join("/"))).toBe(obviously(glob, path));
      }),
      { runs: 3000 },
    );
  });

  it("comes to an end on globs made to be slow", () => {
    expect(matchesPath(`${"*a".repeat(400)}b`, "a".repeat(20_000))).toBe(false);
    expect(matchesPath(`${"**/a/".repeat(180)}b`, "a/".repeat(20_000))).toBe(false);
  });
});

/** Slow and obvious: what the matcher must agree with. */
function obviously(glob: readonly string[], path: readonly string[]): boolean {
  const [step, ...steps] = glob;
  if (step === undefined) return path.length === 0;
  if (step === "**") return obviously(steps, path) || (path.length > 0 && obviously(glob, path.slice(1)));
  const name = new RegExp(`^${step.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  return path.length > 0 && name.test(path[0] as string) && obviously(steps, path.slice(1));
}

describe("globProblem", () => {
  it.each([
    ["", "it is empty"],
    ["a".repeat(1001), "it is longer than 1000 characters"],
    ["[ab].ts", "it has [, ], ! or a backslash, which mean nothing in a glob: write ? or {a,b}"],
    ["!src", "it has [, ], ! or a backslash, which mean nothing in a glob: write ? or {a,b}"],
    ["a**", "** stands only for whole folders, as in a/**/b"],
    ["***", "** stands only for whole folders, as in a/**/b"],
    ["{a,b", "its braces are not closed, or give more than 256 alternatives"],
    ["a}", "its braces are not closed, or give more than 256 alternatives"],
    ["a}{b,c}", "its braces are not closed, or give more than 256 alternatives"],
    ["{a,b}}", "its braces are not closed, or give more than 256 alternatives"],
    ["{a,b}".repeat(9), "its braces are not closed, or give more than 256 alternatives"],
    [
      "{{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b},c}",
      "its braces are not closed, or give more than 256 alternatives",
    ],
    ["a/*/../b", "a .. after a wildcard leads nowhere known"],
    ["a/*/b/..", "a .. after a wildcard leads nowhere known"],
  ])("refuses %s", (glob, why) => {
    expect(globProblem(glob)).toBe(why);
    expect(() => compileGlob(glob)).toThrow(why);
  });

  it("accepts what can be matched", () => {
    for (const glob of ["**", "{a,b}/**", "a/../b/*", "{,/}**/x", "{src,test/**}"])
      expect(globProblem(glob)).toBeUndefined();
  });
});

describe("normalisePath", () => {
  it.each([
    ["./a//b/../c", "a/c"],
    ["a/..", "."],
    ["", "."],
    ["a/../../b", "../b"],
    ["../../b/", "../../b"],
    ["/a/../../b", "/b"],
    ["a\\b", "a/b"],
    ["/", "/"],
  ])("reads %s as %s", (path, expected) => {
    expect(normalisePath(path)).toBe(expected);
  });
});

describe("alternatives", () => {
  it("gives the text once for each choice", () => {
    expect(alternatives("a{b,c{d,}}e", 9)).toEqual(["abe", "acde", "ace"]);
    expect(alternatives("a{b,c}e", 1)).toBeUndefined();
  });
});
