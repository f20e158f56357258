import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { isExactNumber } from "./exact-number.ts";

describe("isExactNumber", () => {
  it.each([
    "0",
    "-0",
    "00",
    "1.10",
    "0.1",
    "+5",
    ".5",
    "5.",
    "1e3",
    "1E+3",
    "1.5e-7",
    "1e21",
    "9007199254740991",
    "100",
  ])("keeps %s", (written) => {
    const isWhole = Number.isInteger(Number(written)) && !Number.isSafeInteger(Number(written));
    expect(isExactNumber(Number(written), written)).toBe(!isWhole);
  });

  it.each(["1e999", "9007199254740993", "0.10000000000000000001", "1e-999", "3.14159265358979323846", "9".repeat(400)])(
    "refuses %s",
    (written) => {
      expect(isExactNumber(Number(written), written)).toBe(false);
    },
  );

  it("takes other bases by their value", () => {
    expect(isExactNumber(16, "0x10")).toBe(true);
    expect(isExactNumber(2 ** 60, "0x1000000000000000")).toBe(false);
    expect(isExactNumber(Number.NaN, ".nan")).toBe(false);
  });

  it("keeps every number as it prints", () => {
    assertProperty(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
        expect(isExactNumber(value, String(value))).toBe(true);
      }),
    );
  });
});
