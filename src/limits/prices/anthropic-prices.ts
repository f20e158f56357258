/** Prices of Anthropic. Writing to a cache costs 1.25 times the input, for an hour twice; reading has a rate of its own. */
import { type Price, type PriceTable, type Rates, ratesOf } from "./price.ts";

const SEEN = {
  source: "https://platform.claude.com/docs/en/about-claude/pricing",
  date: "2026-10-10",
} as const;

const WIDE = { contextTokens: 1_000_000, outputTokens: 128_000 } as const;
const NARROW = { contextTokens: 200_000, outputTokens: 64_000 } as const;

function rates(input: number, output: number, cacheRead: number): Rates {
  return ratesOf({ input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteLong: input * 2 });
}

function price(base: Rates, size: Pick<Price, "contextTokens" | "outputTokens">, long?: Price["long"]): Price {
  return { rates: base, ...(long === undefined ? {} : { long }), ...size, ...SEEN };
}

const OPUS = rates(5, 25, 0.5);
const OLD_OPUS = rates(15, 75, 1.5);
const SONNET = rates(3, 15, 0.3);
const LONG_SONNET = { above: 200_000, rates: rates(6, 22.5, 0.6) };

export const ANTHROPIC_PRICES: PriceTable = {
  "claude-fable-5-1": price(rates(10, 50, 0.25), WIDE),
  "claude-mythos-5-1": price(rates(10, 50, 0.25), WIDE),
  "claude-fable-5": price(rates(10, 50, 1), WIDE),
  "claude-mythos-5": price(rates(10, 50, 1), WIDE),
  "claude-opus-5-5": price(rates(4, 20, 0.2), WIDE),
  "claude-opus-5": price(OPUS, WIDE),
  "claude-opus-4-8": price(OPUS, WIDE),
  "claude-opus-4-7": price(OPUS, WIDE),
  "claude-opus-4-6": price(OPUS, WIDE),
  "claude-opus-4-5": price(OPUS, NARROW),
  "claude-opus-4-1": price(OLD_OPUS, { contextTokens: 200_000, outputTokens: 32_000 }),
  "claude-opus-4": price(OLD_OPUS, { contextTokens: 200_000, outputTokens: 32_000 }),
  "claude-sonnet-5-5": price(rates(2, 10, 0.1), WIDE),
  "claude-sonnet-5": price(rates(2, 10, 0.2), WIDE),
  "claude-sonnet-4-6": price(SONNET, WIDE),
  "claude-sonnet-4-5": price(SONNET, { contextTokens: 1_000_000, outputTokens: 64_000 }, LONG_SONNET),
  "claude-sonnet-4": price(SONNET, { contextTokens: 1_000_000, outputTokens: 64_000 }, LONG_SONNET),
  "claude-3-7-sonnet": price(SONNET, { contextTokens: 200_000, outputTokens: 128_000 }),
  "claude-haiku-5-5": price(rates(0.1, 0.5, 0.01), WIDE, { above: 100_000, rates: rates(0.5, 2.5, 0.05) }),
  "claude-haiku-4-5": price(rates(1, 5, 0.1), NARROW),
  "claude-3-5-haiku": price(rates(0.8, 4, 0.08), { contextTokens: 200_000, outputTokens: 8192 }),
};
