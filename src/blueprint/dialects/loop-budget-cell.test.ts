import { describe, expect, it } from "vitest";
import { parseAmounts } from "./loop-budget-cell.ts";

const all = (amount: number) => [{ from: "L0", amount }];

describe("parseAmounts", () => {
  it.each([
    ["0", 0],
    ["288", 288],
    ["100000", 100_000],
    ["100,000", 100_000],
    ["1_000_000", 1_000_000],
    ["2 000 000", 2_000_000],
    ["1'500", 1500],
    ["100k", 100_000],
    ["100 K", 100_000],
    ["2M", 2_000_000],
    ["1.5m", 1_500_000],
    ["0.001k", 1],
    ["80k tokens", 80_000],
    ["10M (every 15m)", 10_000_000],
  ])("reads %s as %i tokens", (text, amount) => {
    expect(parseAmounts(text, "tokens")).toEqual(all(amount));
  });

  it("reads amounts by level, whatever their order, and notes that are none", () => {
    const both = [
      { from: "L1", amount: 0 },
      { from: "L2", amount: 2 },
    ];
    expect(parseAmounts("0 (L1) / 2 (L2)", "spawns")).toEqual(both);
    expect(parseAmounts("2 (L2 verifier)/0 (L1 report-only)", "spawns")).toEqual(both);
    expect(parseAmounts("0 (L1 report-only)", "spawns")).toEqual([{ from: "L1", amount: 0 }]);
    expect(parseAmounts("2 (A/B/C analysis)", "spawns")).toEqual(all(2));
  });

  it.each(["-", "–", "—", "unlimited", "No limit"])("%s is no limit", (text) => {
    expect(parseAmounts(text, "runs")).toEqual([]);
  });

  it.each([
    ["", "tokens"],
    ["none", "tokens"],
    ["~100k", "tokens"],
    ["100kb", "tokens"],
    ["1,00", "tokens"],
    ["1,000_000", "tokens"],
    ["1.000.000", "tokens"],
    ["1.5", "tokens"],
    ["0.0001k", "tokens"],
    ["-5", "tokens"],
    ["1e6", "tokens"],
    ["1/day", "runs"],
    ["0–2", "spawns"],
    ["1k", "runs"],
    ["5 tokens", "runs"],
    ["0 / 2 (L2)", "spawns"],
    ["0 (L1) / 2 (L1)", "spawns"],
    ["0 (L1) / 2 (later)", "spawns"],
    ["(L1)", "spawns"],
    ["3 (a) (b)", "spawns"],
    ["9".repeat(16), "tokens"],
    ["1".repeat(201), "tokens"],
  ] as const)("does not guess at %j %s", (text, unit) => {
    expect(parseAmounts(text, unit)).toBeUndefined();
  });
});
