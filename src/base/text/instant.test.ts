import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { formatInstant } from "./instant.ts";

describe("an instant", () => {
  it("is written as the calendar has it, on every day of many years", () => {
    const days = Array.from({ length: 60_000 }, (_, day) => (day - 20_000) * 86_400_000 + day * 1003);
    const written = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
    expect(days.filter((at) => formatInstant(at) !== written(at))).toEqual([]);
    assertProperty(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (at) => formatInstant(at) === written(at)),
    );
  });
});
