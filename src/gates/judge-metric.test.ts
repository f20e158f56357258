import { describe, expect, it } from "vitest";
import { judgeMetric, type MetricRule } from "./judge-metric.ts";

const UP = { direction: "higher", mode: "improve" } as const;
const DOWN = { direction: "lower", mode: "improve" } as const;
const KEEP = { direction: "higher", mode: "no_regress" } as const;
const REACH = { direction: "higher", mode: "reach", target: 90 } as const;

const outcome = (rule: MetricRule, base: (number | null)[], candidate: (number | null)[]) =>
  judgeMetric(rule, base, candidate).outcome;

describe("judgeMetric", () => {
  it("says what it compared", () => {
    expect(judgeMetric(UP, [1, 2, 3], [10, 11, 14, 12])).toEqual({
      outcome: "pass",
      reason: "2 became 11.5; up to 4 is noise",
      base: 2,
      candidate: 11.5,
      noise: 4,
    });
  });

  it("takes a repeat without a value for the worst score", () => {
    for (const rule of [UP, KEEP, REACH]) {
      expect(judgeMetric(rule, [1, 1, 1], [99, null, 99])).toEqual({
        outcome: "fail",
        reason: "the candidate has a repeat without a value",
        base: 1,
        candidate: null,
        noise: 0,
      });
      expect(outcome(rule, [1], [])).toBe("fail");
    }
  });

  it("takes any value for better than none, and compares with those that the base has", () => {
    expect(outcome(UP, [null, null], [0])).toBe("pass");
    expect(outcome(KEEP, [5, null, 5], [4])).toBe("fail");
    for (const rule of [UP, KEEP])
      expect(judgeMetric(rule, [], [5])).toMatchObject({ outcome: "fail", reason: "there is no base to compare with" });
  });

  it("takes a strict difference for an improvement only where the base shows no noise", () => {
    expect(outcome(UP, [5, 5], [6])).toBe("pass");
    expect(outcome(DOWN, [5, 5], [4])).toBe("pass");
    expect(outcome(UP, [5, 5], [5])).toBe("fail");
    expect(outcome(DOWN, [5, 5], [6])).toBe("fail");
    expect(judgeMetric(UP, [5], [6]).reason).toBe(
      "5 became 6; up to 0 is noise; too few repeats to tell: give a tolerance, or repeat it 3 times",
    );
    expect(outcome(UP, [5, 5.1], [6])).toBe("fail");
  });

  it("believes a declared tolerance", () => {
    expect(outcome({ ...UP, tolerance: 0 }, [5], [6])).toBe("pass");
    expect(outcome({ ...UP, tolerance: 1 }, [5], [6])).toBe("fail");
    expect(outcome({ ...UP, tolerance: 1 }, [5], [6.5])).toBe("pass");
    expect(outcome({ ...UP, tolerance: 0 }, [5, 7], [6, 9])).toBe("fail");
    expect(outcome({ ...KEEP, tolerance: 1 }, [5], [4])).toBe("pass");
    expect(outcome({ ...KEEP, tolerance: 1 }, [5], [3.9])).toBe("fail");
  });

  it("sees no improvement where the repeats overlap", () => {
    expect(judgeMetric(UP, [1, 2, 3, 2, 9], [5, 6, 5, 6, 1])).toMatchObject({
      outcome: "fail",
      reason: "2 became 5; up to 1 is noise; the repeats overlap too much",
    });
  });

  it("measures a regression by the noise of the base alone", () => {
    expect(outcome(KEEP, [10, 11, 12], [9, 9, 9])).toBe("pass");
    expect(outcome(KEEP, [10, 11, 12], [8, 8, 8])).toBe("fail");
    expect(outcome(KEEP, [10, 10, 10], [0, 9, 30])).toBe("fail");
    expect(outcome(KEEP, [10], [9.99])).toBe("fail");
    expect(outcome({ ...KEEP, direction: "lower" }, [10], [10.01])).toBe("fail");
  });

  it("reaches a target, or nearly with a tolerance", () => {
    expect(outcome(REACH, [], [90])).toBe("pass");
    expect(outcome(REACH, [], [89, 95, 80])).toBe("fail");
    expect(outcome({ ...REACH, tolerance: 2 }, [], [88])).toBe("pass");
    expect(outcome({ ...REACH, direction: "lower" }, [], [91])).toBe("fail");
    expect(judgeMetric({ direction: "higher", mode: "reach" }, [], [90]).reason).toBe("there is no target");
    expect(judgeMetric(REACH, [], [91]).reason).toBe("91 reaches 90");
    expect(judgeMetric(REACH, [], [9]).reason).toBe("9 does not reach 90");
  });
});

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Noise with a standard deviation of 1. */
function noises(random: () => number): Record<string, () => number> {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const heavy = () => normal() / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2);
  return {
    normal,
    uniform: () => (random() - 0.5) * Math.sqrt(12),
    heavy,
    quantised: () => Math.round(normal()),
  };
}

describe("noise", () => {
  const TRIALS = 200;

  for (const name of ["normal", "uniform", "heavy", "quantised"]) {
    for (const repeats of [3, 5, 10]) {
      it(`does not advance two runs of the same tree: ${name}, ${repeats} repeats`, () => {
        for (let seed = 1; seed <= 5; seed += 1) {
          const draw = noises(seeded(seed))[name]!;
          const sample = () => Array.from({ length: repeats }, draw);
          let advanced = 0;
          for (let trial = 0; trial < TRIALS; trial += 1)
            advanced += outcome(UP, sample(), sample()) === "pass" ? 1 : 0;
          expect(advanced / TRIALS).toBeLessThanOrEqual(0.05);
        }
      });
    }

    it(`sees a change of five standard deviations with five repeats: ${name}`, () => {
      const draw = noises(seeded(7))[name]!;
      const sample = (shift: number) => Array.from({ length: 5 }, () => draw() + shift);
      let seen = 0;
      for (let trial = 0; trial < TRIALS; trial += 1) {
        seen += outcome(UP, sample(0), sample(5)) === "pass" && outcome(DOWN, sample(5), sample(0)) === "pass" ? 1 : 0;
      }
      expect(seen / TRIALS).toBeGreaterThanOrEqual(0.9);
    });
  }
});
