import { describe, expect, it } from "vitest";
import { type CallSize, costOf, worstCall } from "./cost.ts";
import { findPrice, SHIPPED_PRICES } from "./find-price.ts";
import { type Price, ratesOf } from "./price.ts";
import { addTokens, NO_TOKENS, promptOf, type Tokens, totalOf } from "./tokens.ts";

const PRICE: Price = {
  rates: ratesOf({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteLong: 6, reasoning: 20 }),
  long: { above: 1000, rates: ratesOf({ input: 6, output: 30 }) },
  contextTokens: 2000,
  outputTokens: 500,
  source: "somewhere",
  date: "2026-01-01",
};
const SIZE: CallSize = { promptBytes: 0, maxOutput: null, copies: 1, cache: "none" };
const tokens = (change: Partial<Tokens>): Tokens => ({ ...NO_TOKENS, ...change });

describe("tokens", () => {
  it("are added part by part, and counted once each", () => {
    const a: Tokens = { input: 1, cacheRead: 2, cacheWrite: 3, cacheWriteLong: 4, output: 5, reasoning: 1 };
    const b = addTokens(a, a);
    expect(b).toEqual({ input: 2, cacheRead: 4, cacheWrite: 6, cacheWriteLong: 8, output: 10, reasoning: 2 });
    expect([promptOf(a), totalOf(a)]).toEqual([10, 15]);
  });
});

describe("ratesOf", () => {
  it("takes what is not said from what is", () => {
    const flat = { input: 2, output: 8, cacheRead: 2, cacheWrite: 2, cacheWriteLong: 2, reasoning: 8 };
    expect(ratesOf({ input: 2, output: 8 })).toEqual(flat);
    expect(ratesOf({ input: 2, output: 8, cacheWrite: 3 }).cacheWriteLong).toBe(3);
  });
});

describe("costOf", () => {
  it("bills every part at its own rate", () => {
    expect(costOf(PRICE, tokens({ input: 100 }))).toBe(300);
    expect(costOf(PRICE, tokens({ cacheRead: 100 }))).toBe(30);
    expect(costOf(PRICE, tokens({ cacheWrite: 100 }))).toBe(375);
    expect(costOf(PRICE, tokens({ cacheWriteLong: 100 }))).toBe(600);
    expect(costOf(PRICE, tokens({ output: 100 }))).toBe(1500);
    expect(costOf(PRICE, tokens({ output: 100, reasoning: 40 }))).toBe(60 * 15 + 40 * 20);
  });

  it("bills a long prompt as a whole at the other rates, whatever it came from", () => {
    expect(costOf(PRICE, tokens({ input: 1000 }))).toBe(3000);
    expect(costOf(PRICE, tokens({ input: 1001 }))).toBe(6006);
    expect(costOf(PRICE, tokens({ input: 1, cacheRead: 1000 }))).toBe(6006);
  });

  it("rounds up to whole micro-dollars, and not because of the way fractions are stored", () => {
    expect(costOf(PRICE, tokens({ cacheRead: 1 }))).toBe(1);
    expect(costOf(PRICE, tokens({ cacheRead: 10 }))).toBe(3);
    expect(costOf({ ...PRICE, rates: ratesOf({ input: 0.1, output: 0.2 }) }, tokens({ input: 1, output: 1 }))).toBe(1);
    expect(costOf({ ...PRICE, rates: ratesOf({ input: 0.1, output: 0.1 }) }, tokens({ input: 20, output: 10 }))).toBe(
      3,
    );
  });
});

describe("worstCall", () => {
  const worst = (size: Partial<CallSize>, prices: readonly (Price | null)[] = [PRICE]) =>
    worstCall(prices, { ...SIZE, ...size });

  it("reads no more than the context, and a byte is at most a token", () => {
    const small = { ...PRICE, contextTokens: 100_000 };
    expect(worst({ promptBytes: 10_000 }, [small]).tokens).toBe(10_000 + 2048 + 500);
    expect(worst({ promptBytes: 10_000 }).tokens).toBe(2000 + 500);
    expect(worst({ promptBytes: null }).tokens).toBe(2000 + 500);
  });

  it("writes no more than was asked for, nor than the model can, for each answer", () => {
    expect(worst({ maxOutput: 10 }).output).toBe(10);
    expect(worst({ maxOutput: 10_000 }).output).toBe(500);
    expect(worst({ maxOutput: null, copies: 3 }).output).toBe(1500);
  });

  it("costs what the dearest way of reading costs", () => {
    const price = { ...PRICE, contextTokens: 1000 };
    const money = (cache: CallSize["cache"]): number =>
      worst({ cache, maxOutput: 0, promptBytes: null }, [price]).microUsd;
    expect([money("none"), money("short"), money("long")]).toEqual([3000, 3750, 6000]);
    expect(worst({ maxOutput: 0, promptBytes: null }).microUsd).toBe(2000 * 6);
    const odd = { ...price, rates: ratesOf({ input: 1, output: 1, cacheWrite: 9, cacheWriteLong: 2 }) };
    expect(worst({ cache: "long", maxOutput: 0, promptBytes: null }, [odd]).microUsd).toBe(9000);
  });

  it("takes the dearest of the models that may answer", () => {
    const cheap = { ...PRICE, rates: ratesOf({ input: 1, output: 1 }), contextTokens: 900, outputTokens: 900 };
    const both = worst({ promptBytes: null }, [cheap, PRICE]);
    expect(both).toEqual({ tokens: 2500, microUsd: 2000 * 6 + 500 * 30, output: 900 });
  });

  it("is never more than can be counted", () => {
    const rates = ratesOf({ input: 1e300, output: 1e300 });
    const mad = { ...PRICE, rates, long: { above: 0, rates } };
    expect(worst({}, [mad]).microUsd).toBe(1e12);
  });

  it("takes an unknown model for the dearest there is", () => {
    const unknown = worst({ promptBytes: 1000, maxOutput: 1000 }, [null]);
    for (const price of Object.values(SHIPPED_PRICES)) {
      const known = worst({ promptBytes: 1000, maxOutput: 1000 }, [price]);
      expect(unknown.microUsd).toBeGreaterThanOrEqual(known.microUsd);
    }
    expect(unknown.tokens).toBe(1000 + 2048 + 1000);
  });
});

describe("findPrice", () => {
  it("finds a model with or without its day and its provider", () => {
    const price = SHIPPED_PRICES["claude-sonnet-4-5"];
    for (const name of ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-latest"])
      expect(findPrice(name)).toBe(price);
    expect(findPrice("gpt-5.5-2026-04-23")).toBe(SHIPPED_PRICES["gpt-5.5"]);
    expect(findPrice("models/gemini-3-pro-preview")).toBe(SHIPPED_PRICES["gemini-3-pro"]);
    expect(findPrice("claude-opus-5[1m]")).toBe(SHIPPED_PRICES["claude-opus-5"]);
  });

  it("guesses nothing from what a name resembles", () => {
    for (const name of ["gpt-5.5-turbo", "claude-sonnet", "constructor", "", "gpt-5.6"])
      expect(findPrice(name)).toBeNull();
  });

  it("takes a table of one's own first", () => {
    expect(findPrice("gpt-5.5", { "gpt-5.5": PRICE })).toBe(PRICE);
    expect(findPrice("mine", { mine: PRICE })).toBe(PRICE);
  });

  it("says of every price where it is from and when it was looked up", () => {
    for (const [name, { source, date, rates, contextTokens, outputTokens }] of Object.entries(SHIPPED_PRICES)) {
      expect(source, name).toMatch(/^https:\/\//);
      expect(date, name).toMatch(/^2026-\d{2}-\d{2}$/);
      expect(rates.cacheRead, name).toBeLessThanOrEqual(rates.input);
      expect(rates.output, name).toBeGreaterThan(rates.input);
      expect(contextTokens, name).toBeGreaterThanOrEqual(outputTokens);
    }
  });
});
