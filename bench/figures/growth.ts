/** Growth: what a stage costs in runs of 10 to 10,000 stages, the same number of stages in all. */
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
}

const CASES: readonly Case[] = [
  { system: RAW_FULL, shape: "line" },
  { system: PAWL, shape: "line" },
  { system: PAWL, shape: "cycle" },
];
const LENGTHS = [10, 100, 1000, 10_000] as const;

export const growth: Figure = {
  name: "growth",
  async measure(context) {
    const samples = new Map<string, GrowthReport[]>();
    const rounds = context.quick ? 2 : 3;
    for (let round = 1; round <= rounds; round += 1) {
      for (const entry of CASES) {
        for (const stages of LENGTHS) {
          context.log(`growth: round ${round}/${rounds}, ${entry.system.name} ${entry.shape} of ${stages} stages`);
          const report = await measureOnce(context, entry, stages);
          samples.set(key(entry, stages), [...(samples.get(key(entry, stages)) ?? []), report]);
        }
      }
    }
    return {
      tables: [describe(samples)],
      bars: CASES.filter((entry) => entry.system === PAWL).flatMap((entry) => judge(samples, entry)),
      samples: Object.fromEntries(samples),
    };
  },
};

function key(entry: Case, stages: number): string {
  return `${entry.system.name}/${entry.shape}/${stages}`;
}

function measureOnce(context: FigureContext, entry: Case, stages: number): Promise<GrowthReport> {
  const { module, variant } = entry.system;
  const runs = 10_000 / stages;
  return withStateDir(context.dir, "growth", (dir) =>
    runTask<"growth">({ kind: "growth", module, variant, dir, stages, runs, shape: entry.shape }, context.profileDir),
  );
}

function medianOf(
  samples: ReadonlyMap<string, readonly GrowthReport[]>,
  entry: Case,
  stages: number,
  value: (report: GrowthReport) => number,
): number {
  return median((samples.get(key(entry, stages)) ?? []).map(value));
}

function describe(samples: ReadonlyMap<string, readonly GrowthReport[]>): Table {
  return {
    title: "Growth of one run (one run at a time, 10,000 stages in all; medians)",
    columns: [
      "system",
      "shape",
      "stages in a run",
      "mean us/stage",
      "p50 us/stage",
      "CPU us/stage",
      "last tenth / first tenth",
    ],
    rows: CASES.flatMap((entry) =>
      LENGTHS.map((stages) => [
        entry.system.name,
        entry.shape,
        stages,
        medianOf(samples, entry, stages, (report) => report.meanUs),
        medianOf(samples, entry, stages, (report) => report.p50Us),
        medianOf(samples, entry, stages, (report) => report.cpuUs),
        medianOf(samples, entry, stages, (report) => report.lastOverFirst),
      ]),
    ),
  };
}

function judge(samples: ReadonlyMap<string, readonly GrowthReport[]>, entry: Case): Bar[] {
  const over = (value: (report: GrowthReport) => number): number =>
    medianOf(samples, entry, 10_000, value) / medianOf(samples, entry, 10, value);
  return [
    {
      name: `p50 per stage, 10,000 over 10 stages (${entry.shape})`,
      measured: over((report) => report.p50Us),
      rule: "at_most",
      limit: 1.2,
      unit: "x",
    },
    {
      name: `CPU per stage, 10,000 over 10 stages (${entry.shape})`,
      measured: over((report) => report.cpuUs),
      rule: "at_most",
      limit: 1.2,
      unit: "x",
    },
  ];
}
