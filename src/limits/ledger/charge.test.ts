import { describe, expect, it } from "vitest";
import { addAmounts, chargeFor } from "./charge.ts";

describe("the charge for a reservation", () => {
  it("is what was reserved when nothing is known", () => {
    expect(chargeFor({ tokens: 5, microUsd: 2 }, "unknown")).toEqual({ tokens: 5, microUsd: 2 });
  });

  it("is what was told, and for a unit of which nothing was told what was reserved", () => {
    expect(chargeFor({ tokens: 5, microUsd: 2 }, { tokens: 0 })).toEqual({ tokens: 0, microUsd: 2 });
  });

  it("is all that was told, however much was reserved", () => {
    expect(chargeFor({ tokens: 5 }, { tokens: 900, spawns: 1 })).toEqual({ tokens: 900, spawns: 1 });
  });

  it("adds up by unit", () => {
    expect(addAmounts({ tokens: 5, runs: 0 }, { tokens: 1, microUsd: 3 })).toEqual({ tokens: 6, microUsd: 3 });
  });
});
