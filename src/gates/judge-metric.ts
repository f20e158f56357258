/**
 * Compares repeats of a metric. An improvement must be seen against the noise of both sides, so that two runs of the same tree seldom
 * differ; a regression is measured against the noise of the base alone, which the maker of the candidate cannot raise.
 */
import { rankChance } from "./rank-chance.ts";

export interface MetricRule {
  readonly direction: "higher" | "lower";
  readonly mode: "no_regress" | "improve" | "reach";
  /** For `reach`, where it is required. */
  readonly target?: number;
  /** A difference that does not count, in the unit of the metric. Given as 0: the metric has no noise. */
  readonly tolerance?: number;
}

export interface MetricVerdict {
  readonly outcome: "pass" | "fail";
  readonly reason: string;
  /** Medians; null when there is no value. */
  readonly base: number | null;
  readonly candidate: number | null;
  /** A difference up to this is noise. */
  readonly noise: number;
}

/** Two runs of the same tree are called different at most this often; when so few repeats cannot tell that well, at most `LIMIT`. */
const CHANCE = 0.02;
const LIMIT = 0.0501;

/** Null is a repeat without a value. One such repeat of the candidate is its worst score. */
export function judgeMetric(
  rule: MetricRule,
  base: readonly (number | null)[],
  candidate: readonly (number | null)[],
): MetricVerdict {
  const before = base.filter((value) => value !== null);
  const after = candidate.filter((value) => value !== null);
  const verdict = (outcome: "pass" | "fail", reason: string, noise = 0): MetricVerdict => ({
    outcome,
    reason,
    base: median(before),
    candidate: after.length < candidate.length ? null : median(after),
    noise,
  });
  if (after.length < candidate.length || after.length === 0)
    return verdict("fail", "the candidate has a repeat without a value");
  if (rule.mode === "reach") return verdict(...judgeReach(rule, after));
  if (base.length === 0) return verdict("fail", "there is no base to compare with");
  if (before.length === 0) return verdict("pass", "the base has no value, the candidate has one");
  return verdict(...(rule.mode === "improve" ? judgeImprove : judgeRegress)(rule, before, after));
}

type Judgement = readonly [outcome: "pass" | "fail", reason: string, noise: number];

function judgeReach(rule: MetricRule, after: readonly number[]): Judgement {
  const noise = rule.tolerance ?? 0;
  if (rule.target === undefined) return ["fail", "there is no target", noise];
  const ahead = gain(rule, rule.target, middle(after));
  const reaches = ahead >= -noise;
  return [
    reaches ? "pass" : "fail",
    `${middle(after)} ${reaches ? "reaches" : "does not reach"} ${rule.target}`,
    noise,
  ];
}

function judgeRegress(rule: MetricRule, before: readonly number[], after: readonly number[]): Judgement {
  const noise = Math.max(rule.tolerance ?? 0, spread(before, 0));
  const change = gain(rule, middle(before), middle(after));
  const text = `${middle(before)} became ${middle(after)}; up to ${noise} is noise`;
  return [change >= -noise ? "pass" : "fail", text, noise];
}

function judgeImprove(rule: MetricRule, before: readonly number[], after: readonly number[]): Judgement {
  const noise = Math.max(rule.tolerance ?? 0, spread(before, trim(before)), spread(after, trim(after)));
  const change = gain(rule, middle(before), middle(after));
  const text = `${middle(before)} became ${middle(after)}; up to ${noise} is noise`;
  if (change <= noise) return ["fail", text, noise];
  if (isQuiet(before, after)) return ["pass", text, noise];
  const better = (a: number, b: number): boolean => gain(rule, a, b) > 0;
  const fewest = rankChance(before.length, after.length, before.length * after.length);
  if (fewest > LIMIT && rule.tolerance === undefined) {
    return ["fail", `${text}; too few repeats to tell: give a tolerance, or repeat it 3 times`, noise];
  }
  const wins = countWins(before, after, better);
  const isSeen = rankChance(before.length, after.length, wins) <= Math.max(CHANCE, fewest);
  return isSeen ? ["pass", text, noise] : ["fail", `${text}; the repeats overlap too much`, noise];
}

/** Repeats that are exactly equal have no noise to hide in; a single one of the base says nothing about it. */
function isQuiet(before: readonly number[], after: readonly number[]): boolean {
  return before.length > 1 && spread(before, 0) === 0 && spread(after, 0) === 0;
}

/** Pairs of repeats in which the candidate is strictly better: a tie counts against it. */
function countWins(
  before: readonly number[],
  after: readonly number[],
  better: (a: number, b: number) => boolean,
): number {
  let wins = 0;
  for (const a of before) for (const b of after) wins += better(a, b) ? 1 : 0;
  return wins;
}

/** How much better `b` is than `a`. */
function gain(rule: MetricRule, a: number, b: number): number {
  return rule.direction === "higher" ? b - a : a - b;
}

/** One value of five is left out at each end: outliers are no measure of noise. */
function trim(values: readonly number[]): number {
  return Math.floor(values.length / 5);
}

function spread(values: readonly number[], cut: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[sorted.length - 1 - cut] as number) - (sorted[cut] as number);
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : middle(values);
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}
