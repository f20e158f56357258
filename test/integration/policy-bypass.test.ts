/** The guard and the everyday set against attacks and against an ordinary day. */
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../src/policy/compile.ts";
import { decide } from "../../src/policy/decide.ts";
import { EFFECTS, type Effect } from "../../src/policy/rule.ts";
import { EVERYDAY as EVERYDAY_RULES } from "../../src/policy/shipped/everyday.ts";
import { GUARD } from "../../src/policy/shipped/guard.ts";
import { BYPASSES } from "../support/shell-corpus/bypasses.ts";
import { EVERYDAY } from "../support/shell-corpus/everyday.ts";

const POLICY = compilePolicy([...GUARD, ...EVERYDAY_RULES]);
const effectOfText = (script: string): Effect => decide(POLICY, { kind: "shell", script }).effect;
const effectOfList = (argv: readonly string[]): Effect => decide(POLICY, { kind: "run", argv }).effect;

/** Shows how many there are of each, and says which part of them runs without a question. */
function partUnasked(name: string, effects: readonly Effect[]): number {
  const counts = EFFECTS.map((effect) => `${effect} ${effects.filter((found) => found === effect).length}`);
  const part = effects.filter((effect) => effect === "allow").length / effects.length;
  console.log(`${effects.length} ${name}: ${counts.reverse().join(", ")}; ${(100 * part).toFixed(1)} % unasked`);
  return part;
}

describe("the guard with the everyday set", () => {
  it("allows no attack", () => {
    const texts = BYPASSES.flatMap((group) => group.texts);
    partUnasked("attacks", texts.map(effectOfText));
    expect(texts.length).toBeGreaterThanOrEqual(200);
    expect(texts.filter((text) => effectOfText(text) === "allow")).toEqual([]);
  });

  it("blocks nothing, and asks about at most one in twenty of the texts that developers type", () => {
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(200);
    const effects = EVERYDAY.map(({ text }) => effectOfText(text));
    expect(partUnasked("everyday texts", effects)).toBeGreaterThanOrEqual(0.95);
    expect(effects).not.toContain("deny");
  });

  it("does the same without a shell", () => {
    const lists = EVERYDAY.flatMap(({ argv }) => (argv === undefined ? [] : [argv]));
    expect(lists.length).toBeGreaterThanOrEqual(200);
    expect(partUnasked("everyday lists", lists.map(effectOfList))).toBeGreaterThanOrEqual(0.95);
  });

  it.each([
    "rm -rf /",
    "rm -rf ~",
    "rm -r ..",
    "rm -rf .",
    'rm -rf "$DIR"',
    "rm -rf *",
    "rm -r .git",
    "cp a .git/hooks/pre-commit",
    "cp -t.git/hooks a",
    "mv a /etc/hosts",
    "cp .env a",
    "cp $x a",
    "cat .env *.md",
    "cat *.md .env",
    "ls *.md; canary",
    "find . -name '*.log' | xargs rm",
    "git merge -s canary a",
    "git branch -D main",
    "GIT_EDITOR=canary git rebase main",
    "node --import=./a.js b.js",
    "node ../a.js",
    "./node a.js",
    "LD_PRELOAD=a node b.js",
    "python -c a.py",
    "ruby -ra.rb b.rb",
    "pnpm install --config.script-shell=canary",
    "make -n SHELL=canary",
    "cmake --build a -- -f b",
    "gcc -fplugin=a b.c",
    "uniq a b",
  ])("does not even ask about %s", (text) => {
    expect(effectOfText(text)).toBe("deny");
  });
});
