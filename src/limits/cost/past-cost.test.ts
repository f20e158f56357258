import { describe, expect, it } from "vitest";
import { pastCost, type RunCost } from "./past-cost.ts";

const run = (tokens: number, succeeded: boolean, merged = 0): RunCost => ({
  usage: { tokens, microUsd: tokens * 3 },
  succeeded,
  merged,
});

describe("pastCost", () => {
  it("shares everything that was spent, failures too, among what came of it", () => {
    const cost = pastCost([run(100, true, 1), run(900, false), run(0, true), run(200, true)]);
    expect(cost).toEqual({
      runs: 4,
      succeeded: 3,
      merged: 1,
      total: { tokens: 1200, microUsd: 3600 },
      mean: { tokens: 300, microUsd: 900 },
      p50: { tokens: 100, microUsd: 300 },
      p95: { tokens: 900, microUsd: 2700 },
      perSucceeded: { tokens: 400, microUsd: 1200 },
      perMerged: { tokens: 1200, microUsd: 3600 },
    });
  });

  it("rounds up, so that the price covers what was spent", () => {
    const { mean, perSucceeded } = pastCost([run(100, true), run(1, true), run(0, true)]);
    expect([mean, perSucceeded]).toEqual([
      { tokens: 34, microUsd: 101 },
      { tokens: 34, microUsd: 101 },
    ]);
  });

  it("takes the middle and the 95th of a hundred, each unit by itself", () => {
    const many = Array.from({ length: 100 }, (_, at) => ({
      usage: { tokens: at + 1, microUsd: 100 - at },
      succeeded: true,
      merged: 0,
    }));
    const { p50, p95 } = pastCost(many);
    expect([p50, p95]).toEqual([
      { tokens: 50, microUsd: 50 },
      { tokens: 95, microUsd: 95 },
    ]);
  });

  it("has no price of what there is none of", () => {
    const none = { mean: null, p50: null, p95: null, perSucceeded: null, perMerged: null };
    expect(pastCost([])).toEqual({ runs: 0, succeeded: 0, merged: 0, total: { tokens: 0, microUsd: 0 }, ...none });
    expect(pastCost([run(5, false)])).toMatchObject({ mean: { tokens: 5 }, perSucceeded: null, perMerged: null });
  });
});
