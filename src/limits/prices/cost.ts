/** What a call costs: exactly when its tokens are known, and at most before it is made. Whole micro-dollars, rounded up. */
import type { Usage } from "../../base/usage.ts";
import { MOST_AMOUNT } from "../ledger/cap.ts";
import { SHIPPED_PRICES } from "./find-price.ts";
import { type Price, type PriceTable, type Rates, ratesOf } from "./price.ts";
import { promptOf, type Tokens } from "./tokens.ts";

export function costOf({ rates, long }: Price, tokens: Tokens): number {
  const used = long !== undefined && promptOf(tokens) > long.above ? long.rates : rates;
  const micro =
    tokens.input * used.input +
    tokens.cacheRead * used.cacheRead +
    tokens.cacheWrite * used.cacheWrite +
    tokens.cacheWriteLong * used.cacheWriteLong +
    (tokens.output - tokens.reasoning) * used.output +
    tokens.reasoning * used.reasoning;
  return roundUp(micro);
}

/** What is known of a call before it is made. */
export interface CallSize {
  /** No more tokens can be read than the request has bytes, unless it names what lies elsewhere: then null. */
  readonly promptBytes: number | null;
  /** The most it may write, as the request says; null: as much as the model can. */
  readonly maxOutput: number | null;
  /** Answers that were asked for. */
  readonly copies: number;
  /** The dearest cache that the request may write to. */
  readonly cache: "none" | "short" | "long";
}

export interface WorstCall extends Usage {
  /** The part of the tokens that may be written. */
  readonly output: number;
}

/** What the provider adds around a prompt of its own. */
const OVERHEAD_TOKENS = 2048;
const UNKNOWN_OUTPUT = 128_000;
const UNKNOWN_CONTEXT = 1_050_000;

/** The most that one of these models can cost for this call. A model without a price costs as much as the dearest we know. */
export function worstCall(prices: readonly (Price | null)[], size: CallSize): WorstCall {
  const each = prices.map((price) => worstOf(price ?? DEAREST, size));
  return each.reduce((a, b) => ({
    tokens: Math.max(a.tokens, b.tokens),
    microUsd: Math.max(a.microUsd, b.microUsd),
    output: Math.max(a.output, b.output),
  }));
}

function worstOf({ rates, long, contextTokens, outputTokens }: Price, size: CallSize): WorstCall {
  const input = Math.min(contextTokens, size.promptBytes === null ? contextTokens : size.promptBytes + OVERHEAD_TOKENS);
  const output = Math.min(size.maxOutput ?? outputTokens, outputTokens) * size.copies;
  const used = long !== undefined && input > long.above ? long.rates : rates;
  const microUsd = roundUp(input * dearestInput(used, size.cache) + output * Math.max(used.output, used.reasoning));
  return { tokens: input + output, microUsd: Math.min(microUsd, MOST_AMOUNT), output };
}

function dearestInput({ input, cacheRead, cacheWrite, cacheWriteLong }: Rates, cache: CallSize["cache"]): number {
  const written = { none: input, short: cacheWrite, long: Math.max(cacheWrite, cacheWriteLong) };
  return Math.max(input, cacheRead, written[cache]);
}

const DEAREST = dearestOf(SHIPPED_PRICES);

function dearestOf(table: PriceTable): Price {
  const all = Object.values(table).map(({ rates, long }) => long?.rates ?? rates);
  const most = (part: keyof Rates): number => Math.max(...all.map((rates) => rates[part]));
  return {
    rates: ratesOf({
      input: most("input"),
      output: most("output"),
      cacheRead: most("cacheRead"),
      cacheWrite: most("cacheWrite"),
      cacheWriteLong: most("cacheWriteLong"),
    }),
    contextTokens: UNKNOWN_CONTEXT,
    outputTokens: UNKNOWN_OUTPUT,
    source: "the dearest of the prices that are known",
    date: "",
  };
}

/** Sums of decimal fractions are a little off: what is off by less than a billionth is whole. */
function roundUp(micro: number): number {
  return Math.ceil(micro - 1e-9 * Math.max(1, micro));
}
