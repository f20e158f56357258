import { describe, expect, it } from "vitest";
import { readDollars, readTokens } from "./amounts.ts";

describe("amounts as people type them", () => {
  it.each([
    ["200000", 200_000],
    ["200k", 200_000],
    ["1.5M", 1_500_000],
    ["0.001k", 1],
    ["0", 0],
    ["1.5", null],
    ["k", null],
    ["-1", null],
    ["1kk", null],
  ])("%s tokens are %s", (text, count) => {
    expect(readTokens(text)).toBe(count);
  });

  it.each([
    ["5", 5_000_000],
    ["$0.50", 500_000],
    ["0.000001", 1],
    ["1000000", 1_000_000_000_000],
    ["five", null],
    ["1.0000001", null],
    ["-1", null],
    ["", null],
  ])("%s dollars are %s micro-dollars", (text, micro) => {
    expect(readDollars(text)).toBe(micro);
  });
});
