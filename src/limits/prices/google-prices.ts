/** Prices of Google's Gemini API. What it thinks is billed as output. Storing a cache by the hour is not in it. */
import { type Price, type PriceTable, type Rates, ratesOf } from "./price.ts";

/** Compared on 2026-11-18 with what others have copied from that page, as far as there was any. Most of it agrees; one page has other rates for Gemini 2.5. The page itself was not read again. gemini-3.6 and later are not in it. */
const SEEN = { source: "https://ai.google.dev/gemini-api/docs/pricing", date: "2026-06-12" } as const;
const SIZE = { contextTokens: 1_048_576, outputTokens: 65_536 } as const;

function rates(input: number, cacheRead: number, output: number): Rates {
  return ratesOf({ input, cacheRead, output });
}

function price(base: Rates, long?: Rates): Price {
  return { rates: base, ...(long === undefined ? {} : { long: { above: 200_000, rates: long } }), ...SIZE, ...SEEN };
}

export const GOOGLE_PRICES: PriceTable = {
  "gemini-3.5-flash": price(rates(1.5, 0.15, 9)),
  "gemini-3.1-pro": price(rates(2, 0.2, 12), rates(4, 0.4, 18)),
  "gemini-3.1-flash-lite": price(rates(0.25, 0.025, 1.5)),
  "gemini-3-pro": price(rates(2, 0.2, 12), rates(4, 0.4, 18)),
  "gemini-3-flash": price(rates(0.5, 0.05, 3)),
  "gemini-2.5-pro": price(rates(1.25, 0.125, 10), rates(2.5, 0.25, 15)),
  "gemini-2.5-flash": price(rates(0.3, 0.03, 2.5)),
  "gemini-2.5-flash-lite": price(rates(0.1, 0.01, 0.4)),
};
