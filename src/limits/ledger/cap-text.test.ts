import { describe, expect, it } from "vitest";
import { type Cap, FLEET } from "./cap.ts";
import { amountText, capText, refusalText } from "./cap-text.ts";

const CAP: Cap = {
  account: { scope: "loop", name: "sweeper" },
  unit: "tokens",
  window: "day",
  amount: 1_250_000,
  source: "pawl.yaml:3:9",
};

describe("caps in words", () => {
  it("say how much of what, for whom, in which time, and who says so", () => {
    expect(capText(CAP)).toBe("1,250,000 tokens a day for loop sweeper (pawl.yaml:3:9)");
    const fleet: Cap = { ...CAP, account: FLEET, unit: "microUsd", window: "week", amount: 2_500_000 };
    expect(capText(fleet)).toBe("$2.50 in seven days for all runs (pawl.yaml:3:9)");
    expect([amountText("runs", 7), amountText("tokens", 1000)]).toEqual(["7 runs", "1,000 tokens"]);
  });

  it("say why something was refused", () => {
    const refused = { granted: false, cap: CAP, spent: 1000, reserved: 0, asked: 20, freesAt: null, ahead: 0 } as const;
    const cap = "the cap is 1,250,000 tokens a day for loop sweeper (pawl.yaml:3:9)";
    expect(refusalText(refused)).toBe(`${cap}: 1,000 tokens spent, 20 tokens asked`);
    expect(refusalText({ ...refused, reserved: 5, ahead: 2 })).toBe(
      `${cap}: 1,000 tokens spent, 5 tokens held, 2 before it in line, 20 tokens asked`,
    );
  });
});
