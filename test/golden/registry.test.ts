/** The cost model of loop-engineering on its own registry: 8 patterns × 3 levels, as its tool `loop-cost` counts them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capsOfRegistry, type Pattern, parseRegistry, rowsOfRegistry } from "../../src/blueprint/dialects/registry.ts";
import { type CostWarning, estimateCost } from "../../src/limits/cost/estimate.ts";

const FILE = "registry/registry.yaml";
const TEXT = readFileSync(join(import.meta.dirname, FILE), "utf8");
const read = parseRegistry(TEXT, FILE, "strict");
const patterns = read.ok ? read.value : [];

const EARLY: CostWarning = "early_exit_needed";
const WORST: CostWarning = "worst_case_above_cap";
const REAL: CostWarning = "realistic_above_cap";
const MANY: CostWarning = "many_runs";

/** Pattern, level, runs a day, worst case a day, realistic a run and a day, realistic a day with a cache, warnings. */
const GOLDEN: readonly (readonly [string, string, number, number, number, number, number, readonly CostWarning[]])[] = [
  ["issue-pr-repair", "L1", 4, 1_200_000, 7700, 30_800, 21_098, [EARLY, WORST]],
  ["issue-pr-repair", "L2", 4, 1_200_000, 22_550, 90_200, 61_787, [EARLY, WORST]],
  ["issue-pr-repair", "L3", 4, 1_200_000, 93_700, 374_800, 256_738, [EARLY, WORST]],
  ["pr-babysitter", "L1", 288, 72_000_000, 10_700, 3_081_600, 2_110_896, [EARLY, WORST, REAL, MANY]],
  ["pr-babysitter", "L2", 288, 72_000_000, 23_050, 6_638_400, 4_547_304, [EARLY, WORST, REAL, MANY]],
  ["pr-babysitter", "L3", 288, 72_000_000, 91_700, 26_409_600, 18_090_576, [EARLY, WORST, REAL, MANY]],
  ["daily-triage", "L1", 12, 2_400_000, 23_000, 276_000, 189_060, [WORST, REAL]],
  ["daily-triage", "L2", 12, 2_400_000, 57_500, 690_000, 472_650, [WORST, REAL]],
  ["daily-triage", "L3", 12, 2_400_000, 69_500, 834_000, 571_290, [WORST, REAL]],
  ["ci-sweeper", "L1", 288, 57_600_000, 9500, 2_736_000, 1_874_160, [EARLY, WORST, REAL, MANY]],
  ["ci-sweeper", "L2", 288, 57_600_000, 19_250, 5_544_000, 3_797_640, [EARLY, WORST, REAL, MANY]],
  ["ci-sweeper", "L3", 288, 57_600_000, 69_500, 20_016_000, 13_710_960, [EARLY, WORST, REAL, MANY]],
  ["post-merge-cleanup", "L1", 4, 600_000, 19_000, 76_000, 52_060, [WORST]],
  ["post-merge-cleanup", "L2", 4, 600_000, 44_500, 178_000, 121_930, [WORST]],
  ["post-merge-cleanup", "L3", 4, 600_000, 53_500, 214_000, 146_590, [WORST, REAL]],
  ["dependency-sweeper", "L1", 4, 1_200_000, 10_500, 42_000, 28_770, [EARLY, WORST]],
  ["dependency-sweeper", "L2", 4, 1_200_000, 25_250, 101_000, 69_185, [EARLY, WORST]],
  ["dependency-sweeper", "L3", 4, 1_200_000, 98_000, 392_000, 268_520, [EARLY, WORST]],
  ["changelog-drafter", "L1", 1, 80_000, 17_000, 17_000, 11_645, []],
  ["changelog-drafter", "L2", 1, 80_000, 29_000, 29_000, 19_865, []],
  ["changelog-drafter", "L3", 1, 80_000, 34_250, 34_250, 23_461, []],
  ["issue-triage", "L1", 12, 720_000, 13_800, 165_600, 113_436, [WORST, REAL]],
  ["issue-triage", "L2", 12, 720_000, 22_500, 270_000, 184_950, [WORST, REAL]],
  ["issue-triage", "L3", 12, 720_000, 26_700, 320_400, 219_474, [WORST, REAL]],
];

describe("the registry of loop-engineering", () => {
  it("L1: is read without a problem, all eight patterns of it", () => {
    expect(read).toMatchObject({ ok: true });
    expect(patterns.map(({ id }) => id)).toEqual([...new Set(GOLDEN.map(([id]) => id))]);
  });

  it("L1: is the same when what was read is written and read again", () => {
    const rows = rowsOfRegistry(TEXT, FILE);
    const again = parseRegistry(JSON.stringify({ patterns: rows.ok ? rows.value : [] }), FILE, "strict");
    const facts = (found: readonly Pattern[]) => found.map(({ where, capWhere, ...pattern }) => pattern);
    expect(facts(again.ok ? again.value : [])).toEqual(facts(patterns));
  });

  it.each(["strict", "lenient"] as const)(
    "L1: is refused %sly when any field that must be is gone or broken",
    (mode) => {
      const lines = TEXT.split("\n");
      const isRead = (at: number, ...put: readonly string[]): boolean =>
        parseRegistry(lines.toSpliced(at, 1, ...put).join("\n"), FILE, mode).ok;
      const required = /^ {4}(?:name|file|goal|cadence|risk|tools|skills|state|phases|human_gates): /;
      const cost = /^ {6}(?:tokens_\w+|suggested_daily_cap|early_exit_required): /;
      const must = lines.flatMap((line, at) => (required.test(line) || cost.test(line) ? [at] : []));
      expect(must).toHaveLength(8 * 15);
      expect(must.filter((at) => isRead(at))).toEqual([]);
      expect(must.filter((at) => isRead(at, (lines[at] ?? "").replace(/:.*/, ": { a: 1 }")))).toEqual([]);
      expect(lines.flatMap((line, at) => (line.startsWith("  - id: ") && isRead(at, "  - id: A") ? [at] : []))).toEqual(
        [],
      );
    },
  );

  it("gives the golden numbers for every pattern and level", () => {
    const orchestration = { mode: "single", multiplier: 1 };
    const counted = patterns.flatMap(({ id, costs, cadence }) =>
      (["L1", "L2", "L3"] as const).map((level) => {
        if (costs === null) throw new Error(`${id} has no costs`);
        const found = estimateCost(costs, cadence, { level, orchestration, slowest: false });
        const { runsPerDay, action, realistic, cached, warnings } = found;
        return [id, level, runsPerDay, action.perDay, realistic.perRun, realistic.perDay, cached.perDay, warnings];
      }),
    );
    expect(counted).toEqual(GOLDEN);
  });

  it("caps the tokens a day of every loop", () => {
    const caps = capsOfRegistry(patterns).map(({ account, amount, source }) => [account.name, amount, source]);
    expect(caps).toEqual([
      ["issue-pr-repair", 750_000, `${FILE}:24:28`],
      ["pr-babysitter", 2_000_000, `${FILE}:46:28`],
      ["daily-triage", 100_000, `${FILE}:68:28`],
      ["ci-sweeper", 1_000_000, `${FILE}:90:28`],
      ["post-merge-cleanup", 200_000, `${FILE}:112:28`],
      ["dependency-sweeper", 500_000, `${FILE}:134:28`],
      ["changelog-drafter", 100_000, `${FILE}:156:28`],
      ["issue-triage", 80_000, `${FILE}:178:28`],
    ]);
  });
});
