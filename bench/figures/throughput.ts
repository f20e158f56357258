/** Throughput: durable stages a second, latency, CPU and bytes of 10-stage runs at 1, 16 and 256 at once. */
import type { MeasuredSystem } from "../catalogue.ts";
import type { Bar, Figure, FigureContext, FigureResult, Table } from "../figure.ts";
import { runTask } from "../run-task.ts";
import { bytesStored, withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import type { LoadReport } from "../tasks/task.ts";

const CONCURRENCIES = [1, 16, 256] as const;
type Concurrency = (typeof CONCURRENCIES)[number];

/** A report with the bytes its process left behind. */
type Sample = LoadReport & { readonly bytes: number };
/** Reports of each system by round; a round in which the system failed has none. */
type Rounds = ReadonlyMap<string, ReadonlyMap<number, Sample>>;
type Value = (report: Sample) => number;

const perSecond: Value = (report) => (report.stages / report.wallMs) * 1000;
const cpuPerStage: Value = (report) => report.cpuUs / report.stages;
const bytesPerStage: Value = (report) => report.bytes / report.storedStages;

export const throughput: Figure = {
  name: "throughput",
  async measure(context) {
    const tables: Table[] = [];
    const bars: Bar[] = [];
    const samples: Record<string, unknown> = {};
    for (const concurrency of CONCURRENCIES) {
      const rounds = await measureRounds(context, concurrency);
      const peers = context.systems.filter((system) => system.kind === "peer").map((system) => system.name);
      tables.push(describe(context.systems, rounds, concurrency));
      bars.push(...judge(rounds, concurrency, peers));
      samples[concurrency] = Object.fromEntries(context.systems.map(({ name }) => [name, reportsOf(rounds, name)]));
    }
    return { tables, bars, samples } satisfies FigureResult;
  },
};

async function measureRounds(context: FigureContext, concurrency: Concurrency): Promise<Rounds> {
  const count = context.quick ? 2 : 5;
  const rounds = new Map(context.systems.map((system) => [system.name, new Map<number, Sample>()]));
  for (let round = 1; round <= count; round += 1) {
    for (const system of context.systems) {
      context.log(`throughput at ${concurrency}: round ${round}/${count}, ${system.name}`);
      const report = await measureOnce(context, system, concurrency).catch((error: Error) => error);
      if (report instanceof Error) {
        context.log(`  not measured: ${report.message}`);
        continue;
      }
      rounds.get(system.name)?.set(round, report);
      context.log(`  ${Math.round(perSecond(report))} stages/s`);
    }
  }
  return rounds;
}

function measureOnce(context: FigureContext, system: MeasuredSystem, concurrency: Concurrency): Promise<Sample> {
  const timing = context.quick ? { durationMs: 1500, warmUpMs: 500 } : { durationMs: 3000, warmUpMs: 1000 };
  const { module, variant } = system;
  return withStateDir(context.dir, system.name, async (dir) => {
    const report = await runTask<"load">(
      { kind: "load", module, variant, dir, concurrency, stages: 10, ...timing },
      context.profileDir,
    );
    return { ...report, bytes: await bytesStored(dir) };
  });
}

function describe(systems: readonly MeasuredSystem[], rounds: Rounds, concurrency: Concurrency): Table {
  const reference = rawFor(concurrency);
  return {
    title: `Durable stages, ${concurrency} at once (10-stage runs; medians)`,
    columns: [
      "system",
      "durable to",
      "stages/s",
      `x of ${reference}`,
      "CPU us/stage",
      `CPU x of ${reference}`,
      "p50 us",
      "p99 us",
      "B/stage",
      "synchronous",
      "driver",
    ],
    rows: systems.map((system) => {
      const reports = reportsOf(rounds, system.name);
      const facts = reports[0]?.facts ?? {};
      return [
        system.name,
        system.durableTo,
        Math.round(median(reports.map(perSecond))),
        ratio(rounds, system.name, reference, perSecond),
        median(reports.map(cpuPerStage)),
        ratio(rounds, system.name, reference, cpuPerStage),
        median(reports.map((report) => report.p50Us)),
        median(reports.map((report) => report.p99Us)),
        Math.round(median(reports.map(bytesPerStage))),
        facts["synchronous"] ?? "-",
        facts["driver"] ?? "-",
      ];
    }),
  };
}

function reportsOf(rounds: Rounds, name: string): readonly Sample[] {
  return [...(rounds.get(name)?.values() ?? [])];
}

/** One run cannot share a commit with another, so its limit is one commit a stage. */
function rawFor(concurrency: Concurrency): string {
  return concurrency === 1 ? "raw-full" : "raw-group";
}

/** Median over the rounds of one system's value over another's in the same round. */
function ratio(rounds: Rounds, name: string, reference: string, value: Value): number {
  const references = rounds.get(reference);
  const ratios: number[] = [];
  for (const [round, report] of rounds.get(name) ?? []) {
    const other = references?.get(round);
    if (other !== undefined) ratios.push(value(report) / value(other));
  }
  return median(ratios);
}

function judge(rounds: Rounds, concurrency: Concurrency, peers: readonly string[]): Bar[] {
  const raw = rawFor(concurrency);
  const at = `at ${concurrency}`;
  const bars: Bar[] = [
    {
      name: `stages/s over ${raw} ${at}`,
      measured: ratio(rounds, "pawl", raw, perSecond),
      rule: "at_least",
      limit: concurrency === 1 ? 0.7 : 0.5,
      unit: "x",
    },
    {
      name: `CPU per stage over ${raw} ${at}`,
      measured: ratio(rounds, "pawl", raw, cpuPerStage),
      rule: "at_most",
      limit: 3,
      unit: "x",
    },
    {
      name: `bytes per stage over ${raw} ${at}`,
      measured: ratio(rounds, "pawl", raw, bytesPerStage),
      rule: "at_most",
      limit: 3,
      unit: "x",
    },
  ];
  if (concurrency === 16) return bars;
  const best = bestPeer(rounds, peers);
  return [
    ...bars,
    {
      name: `stages/s over the best peer (${best ?? "not measured"}) ${at}`,
      measured: best === null ? Number.NaN : ratio(rounds, "pawl", best, perSecond),
      rule: "at_least",
      limit: concurrency === 1 ? 2 : 20,
      unit: "x",
    },
  ];
}

function bestPeer(rounds: Rounds, peers: readonly string[]): string | null {
  let best: { name: string; value: number } | null = null;
  for (const name of peers) {
    const value = median(reportsOf(rounds, name).map(perSecond));
    if (!Number.isNaN(value) && (best === null || value > best.value)) best = { name, value };
  }
  return best?.name ?? null;
}
