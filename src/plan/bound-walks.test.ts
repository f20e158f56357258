/** Law: no walk that keeps to the caps exceeds the worst case, and a plan without a finite worst case does not compile. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familyArbitrary } from "../../test/support/blueprint-arbitrary.ts";
import {
  blueprint,
  command,
  compileInput,
  gate,
  group,
  planOf,
  ref,
  signature,
} from "../../test/support/blueprint-builder.ts";
import { chance, walkPlan } from "../../test/support/plan-walk.ts";
import { assertProperty } from "../../test/support/property.ts";
import { MEASURES } from "./bound.ts";
import { compile } from "./compile.ts";
import type { Bound, Plan } from "./plan.ts";

const actions = [signature({ cost: { tokens: 3, microUsd: 5 } })];

/** The largest of each measure over many walks. */
function worstWalk(plan: Plan, seed: number, walks: number): Bound {
  const worst = { stages: 0, wallMs: 0, tokens: 0, microUsd: 0, spawns: 0, turns: 0 };
  for (let walk = 0; walk < walks; walk += 1) {
    const found = walkPlan(plan, chance(seed + walk), [100, 95, 70][walk % 3] as number);
    for (const measure of MEASURES) worst[measure] = Math.max(worst[measure], found[measure]);
  }
  return worst;
}

describe("the worst case", () => {
  test("is never exceeded by a walk that keeps to the caps", () => {
    let compiled = 0;
    assertProperty(
      fc.property(familyArbitrary, fc.integer(), ([top, ...children], seed) => {
        const result = compile(top, compileInput({ actions }, children));
        if (!result.ok) {
          expect(new Set(result.problems.map(({ code }) => code))).toEqual(new Set(["PLAN_CYCLE_UNBOUNDED"]));
          return;
        }
        compiled += 1;
        const worst = worstWalk(result.value, seed, 12);
        for (const measure of MEASURES) {
          expect(Number.isSafeInteger(result.value.bound[measure])).toBe(true);
          expect(worst[measure], measure).toBeLessThanOrEqual(result.value.bound[measure]);
        }
      }),
      { runs: 600, failedSeeds: [523_014_523] },
    );
    expect(compiled).toBeGreaterThan(200);
  });

  test("is reached by the worst walk of a plain loop", () => {
    const stages = [
      command("fix", { timeoutMs: 9, maxAttempts: 2 }),
      gate("check", { timeoutMs: 5, on: { fail: "fix" } }),
    ];
    const plan = planOf(blueprint(stages, { limits: { rounds: 3 } }));
    expect(worstWalk(plan, 1, 600)).toEqual(plan.bound);
  });

  test("of a fan-out that must queue is more than full turns of every place, and holds", () => {
    const backoff = { firstMs: 1, factor: 1, maxMs: 1 };
    const member = command("m", { timeoutMs: 40, maxAttempts: 2, backoff });
    const plan = planOf(blueprint([group("g", [member], { forEach: ref("params.x"), maxItems: 4, maxParallel: 2 })]));
    const { wallMs } = worstWalk(plan, 7, 2000);
    expect(wallMs).toBeGreaterThan(2 * 81);
    expect(wallMs).toBeLessThanOrEqual(plan.bound.wallMs);
  });
});
