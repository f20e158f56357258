import { describe, expect, test } from "vitest";
import { chance } from "../../../test/simulation/random.ts";
import { matchesPath } from "../../base/match/glob.ts";
import { mayOverlap, overlapOf } from "./overlap.ts";

describe("two globs overlap", () => {
  test.each([
    ["src/**", "src/a.ts"],
    ["src/**", "**/*.ts"],
    ["**", "docs/x"],
    ["src/*.ts", "src/a.*"],
    ["src/a?c", "src/*bc"],
    ["{a,b}/x", "b/*"],
    ["SRC/a", "src/A"],
    ["src", "src/a/b"],
    ["a/**/z", "a/b/**"],
    ["a*", "*a"],
    ["./src/a", "src//a"],
    ["../x/**", "../x/y"],
    ["/etc/**", "src/**"],
    ["{broken", "src/a"],
    ["a/**/b/**/c", "a/x/b/y/z/c"],
  ])("%s and %s", (one, other) => {
    expect(mayOverlap(one, other)).toBe(true);
    expect(mayOverlap(other, one)).toBe(true);
  });

  test.each([
    ["src/**", "docs/**"],
    ["src/a.ts", "src/b.ts"],
    ["src/*.ts", "src/*.md"],
    ["**/*.ts", "docs/*.md"],
    ["a/?", "a/bc"],
    ["../x", "x"],
    ["a/**/z.ts", "b/**"],
    ["ab*", "a"],
  ])("not %s and %s", (one, other) => {
    expect(mayOverlap(one, other)).toBe(false);
    expect(mayOverlap(other, one)).toBe(false);
  });

  test("of two lists the first pair is told", () => {
    expect(overlapOf(["a", "b/**"], ["c", "b/d"])).toEqual(["b/**", "b/d"]);
    expect(overlapOf(["a"], [])).toBeNull();
  });

  test("whenever one path is of both, whatever they are", () => {
    const { pick, int } = chance(7);
    const parts = ["a", "b", "ab", "*", "a*", "*b", "?", "**", "{a,b}", "a?"];
    const names = ["a", "b", "ab", "ba", "aa", "x"];
    const some = (from: readonly string[]): string => Array.from({ length: 1 + int(4) }, () => pick(from)).join("/");
    let both = 0;
    for (let round = 0; round < 60_000; round += 1) {
      const [one, other, path] = [some(parts), some(parts), some(names)];
      if (!matchesPath(one, path) || !matchesPath(other, path)) continue;
      both += 1;
      if (!mayOverlap(one, other)) expect.fail(`${one} and ${other} both match ${path}`);
    }
    expect(both).toBeGreaterThan(500);
  });
});
