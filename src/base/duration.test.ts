import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import { formatDuration, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  it.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1h 30m", 5_400_000],
    ["500ms", 500],
    ["2d", 172_800_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["0s", 0],
    ["90m", 5_400_000],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "90",
    "s",
    "1.5h",
    "-1s",
    "1h1h",
    "1s1h",
    "1 h",
    " 1h",
    "1h ",
    "1H",
    "1e3s",
    "5 minutes",
    "1ms5s",
    "9999999999s",
    "999999999d",
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [500, "500ms"],
    [90_000, "1m 30s"],
    [5_400_000, "1h 30m"],
    [93_784_005, "1d 2h 3m 4s 5ms"],
  ])("writes %i ms", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("is read back exactly", () => {
    assertProperty(
      fc.property(fc.nat(1e13), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
