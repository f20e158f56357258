import { describe, expect, it } from "vitest";
import { type EstimateOptions, estimateCost, type PatternCosts } from "./estimate.ts";

const COSTS: PatternCosts = {
  noop: 3000,
  report: 80_000,
  action: 250_000,
  stableFraction: 0.35,
  dailyCap: 2_000_000,
  needsEarlyExit: true,
};
const MINUTE = 60_000;
const CADENCE = { fastestMs: 5 * MINUTE, slowestMs: 15 * MINUTE };
const OPTIONS: EstimateOptions = {
  level: "L2",
  orchestration: { mode: "single", multiplier: 1 },
  slowest: false,
};

describe("estimateCost", () => {
  it("counts runs a day, each kind of run, the mix of the level and what a cache saves", () => {
    expect(estimateCost(COSTS, CADENCE, OPTIONS)).toEqual({
      level: "L2",
      runsPerDay: 288,
      mix: { noop: 85, report: 10, action: 5 },
      orchestration: { mode: "single", multiplier: 1 },
      noop: { perRun: 3000, perDay: 864_000 },
      report: { perRun: 80_000, perDay: 23_040_000 },
      action: { perRun: 250_000, perDay: 72_000_000 },
      realistic: { perRun: 23_050, perDay: 6_638_400 },
      cached: { perRun: 15_789, perDay: 4_547_304 },
      dailyCap: 2_000_000,
      warnings: ["early_exit_needed", "worst_case_above_cap", "realistic_above_cap", "many_runs"],
    });
  });

  it("multiplies only what an action costs, and warns above two", () => {
    const orchestration = { mode: "parallel:3", multiplier: 4 };
    const { noop, report, action, realistic, warnings } = estimateCost(COSTS, CADENCE, { ...OPTIONS, orchestration });
    expect([noop.perRun, report.perRun, action.perRun, realistic.perRun]).toEqual([3000, 80_000, 1_000_000, 60_550]);
    expect(warnings).toContain("large_multiplier");
    const two = { mode: "maker-checker", multiplier: 2 };
    expect(estimateCost(COSTS, CADENCE, { ...OPTIONS, orchestration: two }).warnings).not.toContain("large_multiplier");
  });

  it("counts with the slow end of a cadence when it is asked to, and with whole runs", () => {
    const slow = estimateCost(COSTS, CADENCE, { ...OPTIONS, slowest: true });
    expect([slow.runsPerDay, slow.warnings.includes("many_runs")]).toEqual([96, true]);
    const odd = { fastestMs: 7 * 3_600_000, slowestMs: 7 * 3_600_000 };
    expect(estimateCost(COSTS, odd, OPTIONS).runsPerDay).toBe(3);
    const week = { fastestMs: 7 * 86_400_000, slowestMs: 7 * 86_400_000 };
    expect(estimateCost(COSTS, week, OPTIONS)).toMatchObject({ runsPerDay: 0, realistic: { perDay: 0 } });
  });

  it("has no warning where there is nothing to warn of", () => {
    const calm = { ...COSTS, needsEarlyExit: false, dailyCap: 1e9 };
    const seldom = { fastestMs: 86_400_000, slowestMs: 86_400_000 };
    expect(estimateCost(calm, seldom, { ...OPTIONS, level: "L3" }).warnings).toEqual([]);
  });

  it("takes the mix of each level, with and without an early exit", () => {
    const mixes = ([true, false] as const).flatMap((needsEarlyExit) =>
      (["L1", "L2", "L3"] as const).map((level) => {
        const { noop, report, action } = estimateCost({ ...COSTS, needsEarlyExit }, CADENCE, { ...OPTIONS, level }).mix;
        return `${noop}/${report}/${action}`;
      }),
    );
    expect(mixes).toEqual(["90/10/0", "85/10/5", "40/35/25", "60/40/0", "50/30/20", "40/35/25"]);
  });

  it("bills a prompt that no cache can hold as it is", () => {
    const { realistic, cached } = estimateCost({ ...COSTS, stableFraction: 0 }, CADENCE, OPTIONS);
    expect(cached).toEqual(realistic);
  });
});
