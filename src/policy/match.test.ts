import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matches, matchesGlob } from "./match.ts";
import type { PolicyRequest } from "./request.ts";
import type { Pattern } from "./rule.ts";

const run = (...argv: string[]): PolicyRequest => ({ kind: "run", argv });
const shell = (script: string): PolicyRequest => ({ kind: "shell", script });
const action = (name: string): PolicyRequest => ({ kind: "action", action: name });

describe("matches", () => {
  it.each<[Pattern, PolicyRequest, boolean]>([
    [{ run: ["npm", "test"] }, run("npm", "test"), true],
    [{ run: ["npm", "test"] }, run("npm", "test", "--force"), false],
    [{ run: ["npm", "test"] }, run("npm"), false],
    [{ run: ["npm", "*"] }, run("npm", "test"), true],
    [{ run: ["npm", "*"] }, run("npm"), false],
    [{ run: ["npm", "*"] }, run("npm", "a", "b"), false],
    [{ run: ["git", "push", "**"] }, run("git", "push"), true],
    [{ run: ["git", "push", "**"] }, run("git", "push", "-f", "origin"), true],
    [{ run: ["git", "push", "**"] }, run("git"), false],
    [{ run: ["**"] }, run("anything", "at all"), true],
    [{ run: ["node", "--test=*.js"] }, run("node", "--test=a/b.js"), true],
    [{ run: ["node", "--test=*.js"] }, run("node", "--test=a/b.ts"), false],
    [{ run: ["sh", "-c", "*"] }, shell("ls"), false],
    [{ shell: "*" }, run("ls"), false],
    [{ shell: "make *" }, shell("make all"), true],
    [{ shell: "make *" }, shell("make"), false],
    [{ action: "git.commit" }, action("git.commit"), true],
    [{ action: "git.commit" }, action("git.commits"), false],
    [{ action: "git.*" }, action("git.commit"), true],
    [{ action: "git.*" }, action("git"), false],
    [{ action: "git.*" }, action("github.open"), false],
    [{ action: "git.*" }, run("git.commit"), false],
  ])("%j against %j is %s", (pattern, request, expected) => {
    expect(matches(pattern, request)).toBe(expected);
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
    fc.assert(
      fc.property(short("ab*", 8), short("ab", 12), (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(slowly(pattern, text));
      }),
      { numRuns: 3000 },
    );
  });

  it("does not let head and tail share characters", () => {
    expect(matchesGlob("ab*ba", "aba")).toBe(false);
    expect(matchesGlob("ab*ba", "abba")).toBe(true);
  });

  it("takes linear time on patterns made to be slow", () => {
    const text = "a".repeat(200_000);
    const started = performance.now();
    expect(matchesGlob(`*${"a".repeat(1000)}b*`, text)).toBe(false);
    expect(matchesGlob("*a".repeat(1000), `${text}b`)).toBe(false);
    expect(matchesGlob(`${"*a".repeat(1000)}*`, text)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
