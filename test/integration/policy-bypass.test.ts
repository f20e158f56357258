/** The guard and the everyday set against attacks and against an ordinary day. */
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../src/policy/compile.ts";
import { decide } from "../../src/policy/decide.ts";
import type { Decision } from "../../src/policy/rule.ts";
import { EVERYDAY as EVERYDAY_RULES } from "../../src/policy/shipped/everyday.ts";
import { GUARD } from "../../src/policy/shipped/guard.ts";
import { BYPASSES } from "../support/shell-corpus/bypasses.ts";
import { EVERYDAY } from "../support/shell-corpus/everyday.ts";

const POLICY = compilePolicy([...GUARD, ...EVERYDAY_RULES]);
const decideText = (script: string): Decision => decide(POLICY, { kind: "shell", script });

/** What no rule could allow, because nobody can tell what it does. */
function isUnaccounted({ effect, rule, why }: Decision): boolean {
  return effect === "deny" && rule === "default" && !why.startsWith("no rule allows");
}

describe("the guard with the everyday set", () => {
  it("allows no attack", () => {
    const texts = BYPASSES.flatMap((group) => group.texts);
    const allowed = texts.filter((text) => decideText(text).effect === "allow");
    console.log(`${texts.length} attacks: ${allowed.length} allowed`);
    expect(texts.length).toBeGreaterThanOrEqual(200);
    expect(allowed).toEqual([]);
  });

  it("can account for what developers type, with a shell and without", () => {
    const texts = EVERYDAY.map(({ text }) => decideText(text));
    const lists = EVERYDAY.flatMap(({ argv }) => (argv === undefined ? [] : [decide(POLICY, { kind: "run", argv })]));
    const free = texts.filter(({ effect }) => effect !== "deny").length;
    console.log(`${texts.length} everyday texts: ${free} not blocked (${((100 * free) / texts.length).toFixed(1)} %)`);
    expect(texts.filter(isUnaccounted).length).toBeLessThanOrEqual(texts.length * 0.05);
    expect(lists.filter(isUnaccounted).length).toBeLessThanOrEqual(lists.length * 0.05);
  });
});
