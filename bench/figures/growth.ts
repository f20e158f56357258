/** Growth: what a stage costs in runs of 10 to 10,000 stages. */
import { type MeasuredSystem, PAWL, RAW_FULL } from "../catalogue.ts";
import type { Bar, Figure, FigureContext, Table } from "../figure.ts";
import { runTask } from "../run-task.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import type { Shape } from "../system.ts";
import type { GrowthReport } from "../tasks/task.ts";

interface Case {
  readonly system: MeasuredSystem;
  readonly shape: Shape;
  /** One list of reports, by length, for each round. */
  readonly rounds: (readonly GrowthReport[])[];
}

const SHORTEST = 10;
const LONGEST = 10_000;

export const growth: Figure = {
  name: "growth",
  async measure(context) {
    const cases: readonly Case[] = [
      { system: RAW_FULL, shape: "line", rounds: [] },
      { system: PAWL, shape: "line", rounds: [] },
      { system: PAWL, shape: "cycle", rounds: [] },
    ];
    const lengths = context.quick ? [SHORTEST, LONGEST] : [SHORTEST, 100, 1000, LONGEST];
    const count = context.quick ? 1 : 3;
    for (let round = 1; round <= count; round += 1) {
      for (const entry of cases) {
        context.log(`growth: round ${round}/${count}, ${entry.system.name} ${entry.shape}`);
        entry.rounds.push(await measureOnce(context, entry, lengths));
      }
    }
    return {
      tables: [describe(cases, lengths)],
      bars: cases.filter((entry) => entry.system === PAWL).flatMap(judge),
      samples: cases.map(({ system, shape, rounds }) => ({ system: system.name, shape, rounds })),
    };
  },
};

function measureOnce(
  context: FigureContext,
  entry: Case,
  lengths: readonly number[],
): Promise<readonly GrowthReport[]> {
  const { module, variant } = entry.system;
  const { shape } = entry;
  const stagesPerPass = context.quick ? 2000 : 5000;
  return withStateDir(context.dir, "growth", (dir) =>
    runTask<"growth">({ kind: "growth", module, variant, dir, shape, lengths, stagesPerPass }, context.profileDir),
  );
}

type Value = (report: GrowthReport) => number;

function medianOf(entry: Case, stages: number, value: Value): number {
  const reports = entry.rounds.flatMap((round) => round.filter((report) => report.stages === stages));
  return median(reports.map(value));
}

function describe(cases: readonly Case[], lengths: readonly number[]): Table {
  const columns: readonly (readonly [name: string, value: Value])[] = [
    ["mean us/stage", (report) => report.meanUs],
    ["p50 us/stage", (report) => report.p50Us],
    ["CPU us/stage", (report) => report.cpuUs],
    ["last tenth / first tenth", (report) => (report.stages === LONGEST ? report.lastOverFirst : Number.NaN)],
  ];
  return {
    title: "Growth of one run (one run at a time; medians)",
    columns: ["system", "shape", "stages in a run", ...columns.map(([name]) => name)],
    rows: cases.flatMap((entry) =>
      lengths.map((stages) => [
        entry.system.name,
        entry.shape,
        stages,
        ...columns.map(([, value]) => medianOf(entry, stages, value)),
      ]),
    ),
  };
}

/** Median over the rounds of the longest over the shortest in the same process. */
function judge(entry: Case): Bar[] {
  const over = (value: Value): number => {
    const ratios = entry.rounds.map((round) => {
      const at = (stages: number): number => median(round.filter((report) => report.stages === stages).map(value));
      return at(LONGEST) / at(SHORTEST);
    });
    return median(ratios);
  };
  const name = (what: string): string => `${what} per stage, 10,000 over 10 stages (${entry.shape})`;
  return [
    { name: name("p50"), measured: over((report) => report.p50Us), rule: "at_most", limit: 1.2, unit: "x" },
    { name: name("CPU"), measured: over((report) => report.cpuUs), rule: "at_most", limit: 1.2, unit: "x" },
  ];
}
