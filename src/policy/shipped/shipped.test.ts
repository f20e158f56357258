import { describe, expect, it } from "vitest";
import { canonical, type JsonValue } from "../../base/json.ts";
import { compilePolicy } from "../compile.ts";
import { failedExamples } from "../examples.ts";
import { REQUEST_KINDS } from "../request.ts";
import { frozen, type Rule } from "../rule.ts";
import { GUARD } from "./guard.ts";
import { SETS } from "./sets.ts";

const sizeOf = (rules: readonly Rule[]): number => canonical(rules.map(frozen) as unknown as JsonValue).length;
const ALL = [...GUARD, ...SETS.everyday];

describe("shipped rules", () => {
  it.each(ALL.map((rule) => [rule.id, rule] as const))("%s does what its examples say", (_id, rule) => {
    expect(failedExamples(rule)).toEqual([]);
    expect(rule.examples?.match?.length).toBeGreaterThan(0);
    expect(rule.examples?.not?.length).toBeGreaterThan(0);
    expect(rule.because).toMatch(/^[A-Z].*\.$/);
  });

  it("can be compiled, and have names of their own", () => {
    const policy = compilePolicy(ALL);
    for (const kind of REQUEST_KINDS) expect(() => policy.rules(kind)).not.toThrow();
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
  });

  it("only deny in the guard, and never elsewhere", () => {
    expect(new Set(GUARD.map(({ effect }) => effect))).toEqual(new Set(["deny"]));
    expect(new Set(SETS.everyday.map(({ effect }) => effect))).toEqual(new Set(["allow", "ask"]));
  });

  it("take nothing away from what somebody allows, unless they are of the guard", () => {
    expect(SETS.everyday.filter(({ effect, yields }) => (effect === "ask") !== (yields === true))).toEqual([]);
  });

  it("stay small in a plan", () => {
    expect(sizeOf(GUARD)).toBeLessThan(6 * 1024);
    expect(sizeOf(SETS.everyday)).toBeLessThan(16 * 1024);
  });
});
