/** A price: what a model costs, since when we know, and from where. */

/** Dollars per million tokens, which is micro-dollars per token. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteLong: number;
  /** What was thought; most providers bill it like what was said. */
  readonly reasoning: number;
}

export interface Price {
  readonly rates: Rates;
  /** Prompts of more tokens are billed as a whole at other rates. */
  readonly long?: { readonly above: number; readonly rates: Rates };
  /** The most tokens one call can read and write together. */
  readonly contextTokens: number;
  /** The most tokens one call can write. */
  readonly outputTokens: number;
  /** Where a person can look it up. */
  readonly source: string;
  /** The day it was looked up: `2026-10-10`. */
  readonly date: string;
}

/** Models by the name that requests use, without a date. */
export type PriceTable = Readonly<Record<string, Price>>;

/** What most of a price follows from. */
export interface BriefRates {
  readonly input: number;
  readonly output: number;
  /** Not given: like new input. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWriteLong?: number | undefined;
  readonly reasoning?: number | undefined;
}

export function ratesOf(brief: BriefRates): Rates {
  const { input, output, cacheRead = input, cacheWrite = input, reasoning = output } = brief;
  const { cacheWriteLong = cacheWrite } = brief;
  return { input, output, cacheRead, cacheWrite, cacheWriteLong, reasoning };
}
