/**
 * What runs have really cost. Each run counts once, with everything that was spent on it: a run that failed is part of the
 * price of those that did not.
 */
import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";

export interface RunCost {
  readonly usage: Usage;
  readonly succeeded: boolean;
  /** Changes that it merged. */
  readonly merged: number;
}

export interface PastCost {
  readonly runs: number;
  readonly succeeded: number;
  readonly merged: number;
  readonly total: Usage;
  /** Of one run; null: there is none. */
  readonly mean: Usage | null;
  readonly p50: Usage | null;
  readonly p95: Usage | null;
  /** Everything that was spent, shared among the runs that succeeded, or among the changes that were merged. */
  readonly perSucceeded: Usage | null;
  readonly perMerged: Usage | null;
}

export function pastCost(runs: readonly RunCost[]): PastCost {
  const total = runs.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  const succeeded = runs.filter((run) => run.succeeded).length;
  const merged = runs.reduce((sum, run) => sum + run.merged, 0);
  return {
    runs: runs.length,
    succeeded,
    merged,
    total,
    mean: shared(total, runs.length),
    p50: atRank(runs, 0.5),
    p95: atRank(runs, 0.95),
    perSucceeded: shared(total, succeeded),
    perMerged: shared(total, merged),
  };
}

/** Rounded up: a price that was rounded down would not cover what was spent. */
function shared({ tokens, microUsd }: Usage, among: number): Usage | null {
  return among === 0 ? null : { tokens: Math.ceil(tokens / among), microUsd: Math.ceil(microUsd / among) };
}

/** The smallest cost that so many of the runs do not exceed, for each unit by itself. */
function atRank(runs: readonly RunCost[], part: number): Usage | null {
  if (runs.length === 0) return null;
  const of = (unit: keyof Usage): number => {
    const sorted = runs.map(({ usage }) => usage[unit]).sort((a, b) => a - b);
    return sorted[Math.ceil(part * sorted.length) - 1] as number;
  };
  return { tokens: of("tokens"), microUsd: of("microUsd") };
}
