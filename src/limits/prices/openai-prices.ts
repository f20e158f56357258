/** Prices of OpenAI. What it has cached of a prompt costs less; it takes nothing for writing there. */
import { type Price, type PriceTable, ratesOf } from "./price.ts";

/** Compared on 2026-11-18 with what others have copied from that page, as far as there was any. Most of it agrees; the cached price of the pro models is lower there. The page itself was not read again. gpt-5.6 and later are not in it: what was found of them does not agree. */
const SEEN = { source: "https://developers.openai.com/api/docs/pricing", date: "2026-06-12" } as const;
const WIDE = { contextTokens: 1_050_000, outputTokens: 128_000 } as const;
const MIDDLE = { contextTokens: 400_000, outputTokens: 128_000 } as const;

type Size = Pick<Price, "contextTokens" | "outputTokens">;

function price(input: number, cacheRead: number, output: number, size: Size, hasLong = false): Price {
  const long = {
    above: 272_000,
    rates: ratesOf({ input: input * 2, cacheRead: cacheRead * 2, output: output * 1.5 }),
  };
  return { rates: ratesOf({ input, cacheRead, output }), ...(hasLong ? { long } : {}), ...size, ...SEEN };
}

export const OPENAI_PRICES: PriceTable = {
  "gpt-5.5": price(5, 0.5, 30, WIDE, true),
  "gpt-5.5-pro": price(30, 30, 180, WIDE),
  "gpt-5.4": price(2.5, 0.25, 15, WIDE, true),
  "gpt-5.4-pro": price(30, 30, 180, WIDE, true),
  "gpt-5.4-mini": price(0.75, 0.075, 4.5, MIDDLE),
  "gpt-5.4-nano": price(0.2, 0.02, 1.25, MIDDLE),
  "gpt-5.3-codex": price(1.75, 0.175, 14, MIDDLE),
  "gpt-5.2": price(1.75, 0.175, 14, MIDDLE),
  "gpt-5.2-codex": price(1.75, 0.175, 14, MIDDLE),
  "gpt-5.1": price(1.25, 0.125, 10, MIDDLE),
  "gpt-5.1-codex": price(1.25, 0.125, 10, MIDDLE),
  "gpt-5.1-codex-max": price(1.25, 0.125, 10, MIDDLE),
  "gpt-5": price(1.25, 0.125, 10, MIDDLE),
  "gpt-5-codex": price(1.25, 0.125, 10, MIDDLE),
  "gpt-5-mini": price(0.25, 0.025, 2, MIDDLE),
  "gpt-5-nano": price(0.05, 0.005, 0.4, MIDDLE),
  "gpt-4.1": price(2, 0.5, 8, { contextTokens: 1_047_576, outputTokens: 32_768 }),
  "gpt-4.1-mini": price(0.4, 0.1, 1.6, { contextTokens: 1_047_576, outputTokens: 32_768 }),
  "gpt-4.1-nano": price(0.1, 0.025, 0.4, { contextTokens: 1_047_576, outputTokens: 32_768 }),
  "gpt-4o": price(2.5, 1.25, 10, { contextTokens: 128_000, outputTokens: 16_384 }),
  "gpt-4o-mini": price(0.15, 0.075, 0.6, { contextTokens: 128_000, outputTokens: 16_384 }),
  o3: price(2, 0.5, 8, { contextTokens: 200_000, outputTokens: 100_000 }),
  "o4-mini": price(1.1, 0.275, 4.4, { contextTokens: 200_000, outputTokens: 100_000 }),
};
