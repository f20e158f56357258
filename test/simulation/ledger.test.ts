/** 32 workers that make 100 calls each on one cap, and die at any step. A red test prints its seed; `liveLedger(seed, trial)` repeats it. */
import { describe, expect, it } from "vitest";
import { seeds } from "../support/property.ts";
import { type LedgerLife, liveLedger } from "./ledger-world.ts";

const TRIALS = seeds(process.env["PAWL_FULL"] === "1" ? 1000 : 60);
const LONGEST_WAIT_MS = 40 * 86_400_000;

describe("32 workers on one cap", () => {
  it(`never spend more, lose nothing and wait for nobody for ever, in ${TRIALS.length} seeded trials`, async () => {
    const lives: LedgerLife[] = [];
    for (const seed of TRIALS) {
      const trial = { workers: 32, calls: 100, overReports: seed % 4 === 0 };
      const life = await liveLedger(seed, trial);
      expect(life.problem, `seed ${seed}`).toBeNull();
      expect(life.spent[1], `seed ${seed}`).toBe(life.spent[0]);
      expect(life.longestWaitMs, `seed ${seed}`).toBeLessThan(LONGEST_WAIT_MS);
      lives.push(life);
    }
    const sum = (of: (life: LedgerLife) => number): number => lives.reduce((all, life) => all + of(life), 0);
    const most = (of: (life: LedgerLife) => number): number => Math.max(...lives.map(of));
    // The lives must differ, or nothing was judged.
    for (const window of ["run", "day", "week"]) expect(lives.some(({ cap }) => cap.window === window)).toBe(true);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(TRIALS.length * 20);
    expect(sum(({ over }) => over)).toBeGreaterThan(0);
    expect(sum(({ refusedForEver }) => refusedForEver)).toBeGreaterThan(0);
    const facts = {
      trials: TRIALS.length,
      granted: sum(({ granted }) => granted),
      crashes: sum(({ crashes }) => crashes),
      restarts: sum(({ restarts }) => restarts),
      unknown: sum(({ unknown }) => unknown),
      over: sum(({ over }) => over),
      refusedForEver: sum(({ refusedForEver }) => refusedForEver),
      longestWaitHours: Math.round(most(({ longestWaitMs }) => longestWaitMs) / 3_600_000),
      mostDays: most(({ days }) => days),
    };
    process.stderr.write(`ledger: ${JSON.stringify(facts)}\n`);
  });
});
