/**
 * The cost model of loop-engineering: runs a day × a mix of runs by level × estimates of the pattern. It counts tokens before
 * anything has run; what runs really cost is in `past-cost.ts`.
 */
import type { Orchestration } from "./orchestration.ts";

export type CostLevel = "L1" | "L2" | "L3";

/** What a pattern says of its runs: with nothing to do, with a report, with a change. */
export interface PatternCosts {
  readonly noop: number;
  readonly report: number;
  readonly action: number;
  /** The part of each prompt that a cache can hold, 0 to 1. */
  readonly stableFraction: number;
  readonly dailyCap: number;
  /** A run with nothing to do must end before its expensive part. */
  readonly needsEarlyExit: boolean;
}

/** Milliseconds between two runs; both are the same where no range was written. */
export interface Cadence {
  readonly fastestMs: number;
  readonly slowestMs: number;
}

/** How many of a hundred runs end so. */
export interface Mix {
  readonly noop: number;
  readonly report: number;
  readonly action: number;
}

export interface Tokens {
  readonly perRun: number;
  readonly perDay: number;
}

export interface Estimate {
  readonly level: CostLevel;
  readonly runsPerDay: number;
  readonly mix: Mix;
  readonly orchestration: Orchestration;
  readonly noop: Tokens;
  readonly report: Tokens;
  /** The worst case: every run makes a change. */
  readonly action: Tokens;
  readonly realistic: Tokens;
  /** The realistic case as it is billed when the stable part of each prompt comes from a cache. */
  readonly cached: Tokens;
  readonly dailyCap: number;
  readonly warnings: readonly CostWarning[];
}

export type CostWarning =
  | "early_exit_needed"
  | "worst_case_above_cap"
  | "realistic_above_cap"
  | "many_runs"
  | "large_multiplier";

export interface EstimateOptions {
  readonly level: CostLevel;
  readonly orchestration: Orchestration;
  /** Count with the slow end of the cadence. */
  readonly slowest: boolean;
}

const DAY_MS = 86_400_000;
const MANY_RUNS = 96;
const LARGE_MULTIPLIER = 2;
/** What a token from a cache costs, as a part of its price. */
const CACHED_PRICE = 0.1;

export function estimateCost(costs: PatternCosts, cadence: Cadence, options: EstimateOptions): Estimate {
  const { level, orchestration, slowest } = options;
  const runsPerDay = Math.floor(DAY_MS / (slowest ? cadence.slowestMs : cadence.fastestMs));
  const mix = mixOf(level, costs.needsEarlyExit);
  const perAction = costs.action * orchestration.multiplier;
  // Sums of whole numbers first: a hundredth at a time would not be exact.
  const ofHundred = costs.noop * mix.noop + costs.report * mix.report + perAction * mix.action;
  const of = (perRun: number): Tokens => ({ perRun, perDay: perRun * runsPerDay });
  const blend = (share: number): Tokens => ({
    perRun: Math.round((ofHundred * share) / 100),
    perDay: Math.round((ofHundred * runsPerDay * share) / 100),
  });
  const [action, realistic] = [of(perAction), blend(1)];
  return {
    level,
    runsPerDay,
    mix,
    orchestration,
    noop: of(costs.noop),
    report: of(costs.report),
    action,
    realistic,
    cached: blend(1 - costs.stableFraction * (1 - CACHED_PRICE)),
    dailyCap: costs.dailyCap,
    warnings: warningsOf(costs, { runsPerDay, orchestration, action, realistic }),
  };
}

function mixOf(level: CostLevel, needsEarlyExit: boolean): Mix {
  if (level === "L3") return { noop: 40, report: 35, action: 25 };
  if (level === "L2")
    return needsEarlyExit ? { noop: 85, report: 10, action: 5 } : { noop: 50, report: 30, action: 20 };
  return needsEarlyExit ? { noop: 90, report: 10, action: 0 } : { noop: 60, report: 40, action: 0 };
}

function warningsOf(
  { needsEarlyExit, dailyCap }: PatternCosts,
  counted: Pick<Estimate, "runsPerDay" | "orchestration" | "action" | "realistic">,
): readonly CostWarning[] {
  const warnings: CostWarning[] = [];
  if (needsEarlyExit) warnings.push("early_exit_needed");
  if (counted.action.perDay > dailyCap) warnings.push("worst_case_above_cap");
  if (counted.realistic.perDay > dailyCap) warnings.push("realistic_above_cap");
  if (counted.runsPerDay >= MANY_RUNS) warnings.push("many_runs");
  if (counted.orchestration.multiplier > LARGE_MULTIPLIER) warnings.push("large_multiplier");
  return warnings;
}
