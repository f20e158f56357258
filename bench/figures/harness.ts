/** Harness: a tool call with its journal on disk beside the bare loop of the AI SDK, and what a long talk costs to sum up. */
import type { Figure, FigureContext, FigureResult } from "../figure.ts";
import { longTalk, oneCut } from "../harness/long-talk.ts";
import { bare, durable, type Loop, synced } from "../harness/loops.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";

const LOOPS: Readonly<Record<"bare" | "durable" | "synced", Loop>> = { bare, durable, synced };
type Name = keyof typeof LOOPS;
const CALLS = 50;
const WARM_UP = 5;
const [SHORT, LONG] = [1000, 10_000];

export const harness: Figure = {
  name: "harness",
  measure: (context) => withStateDir(context.dir, "harness", (dir) => compare(dir, context)),
};

async function compare(dir: string, { quick, log }: FigureContext): Promise<FigureResult> {
  const rounds = quick ? 7 : 21;
  log(`harness: ${rounds} rounds`);
  const kept = await inTurns(["bare", "durable"], rounds, dir);
  // What is synced keeps the disk busy for whoever comes after it.
  const safe = await inTurns(["bare", "synced"], rounds, dir);
  const growth: number[] = [];
  const once: number[] = [];
  longTalk(SHORT);
  oneCut(SHORT);
  for (let round = 1; round <= rounds; round += 1) {
    // As many turns in short talks as in the long one.
    const times = Array.from({ length: LONG / SHORT });
    const sum = (cost: () => number): number => times.reduce<number>((all) => all + cost(), 0);
    growth.push(longTalk(LONG) / sum(() => longTalk(SHORT)));
    once.push(oneCut(LONG) / sum(() => oneCut(SHORT)));
  }
  return resultOf({ bare: kept.bare, durable: kept.durable, synced: safe.synced }, safe.bare, growth, once);
}

type Samples = Readonly<Record<Name, readonly number[]>>;

async function inTurns(names: readonly Name[], rounds: number, dir: string): Promise<Samples> {
  const samples: Record<Name, number[]> = { bare: [], durable: [], synced: [] };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const name of names) {
      const runs = [await LOOPS[name](CALLS, dir), await LOOPS[name](CALLS, dir)];
      if (round >= 0) samples[name].push(median(runs));
    }
  }
  return samples;
}

function resultOf(
  samples: Samples,
  beside: readonly number[],
  growth: readonly number[],
  once: readonly number[],
): FigureResult {
  const over = (name: Name, bare = samples.bare): number =>
    median(samples[name].map((ms, round) => ms / (bare[round] ?? Number.NaN)));
  const kept = over("durable");
  const row = (what: string, name: Name, ratio: number) => [what, median(samples[name]) * 1000, ratio];
  return {
    tables: [
      {
        title: `A tool call in a run of ${CALLS}, same model, same tool (medians)`,
        columns: ["loop", "µs a call", "x bare"],
        rows: [
          row("AI SDK generateText", "bare", 1),
          row("runAgent, journal on disk", "durable", kept),
          row("runAgent, and each intent synced", "synced", over("synced", beside)),
        ],
      },
      {
        title: `Summing up a talk of ${LONG} turns, over as many turns in talks of ${SHORT} (medians)`,
        columns: ["way", "x"],
        rows: [
          ["as it grows", median(growth)],
          ["once at the end", median(once)],
        ],
      },
    ],
    bars: [
      { ...{ name: "harness: a durable tool call over the bare loop", measured: kept }, ...AT_MOST, limit: 1.2 },
      { ...{ name: "harness: 10,000 turns over ten times 1,000", measured: median(growth) }, ...AT_MOST, limit: 1.5 },
    ],
    samples: { ...samples, beside, growth, once },
  };
}

const AT_MOST = { rule: "at_most", unit: "x" } as const;
