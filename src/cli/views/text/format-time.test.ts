import { describe, expect, it } from "vitest";
import { countOf, formatAge, formatElapsed, formatTime } from "./format-time.ts";

describe("formatElapsed", () => {
  it("uses the two units a person can use", () => {
    const cases: [number, string][] = [
      [-5, "0ms"],
      [0, "0ms"],
      [999, "999ms"],
      [1000, "1.0s"],
      [59_949, "59.9s"],
      [59_950, "1m00s"],
      [185_000, "3m05s"],
      [3_599_499, "59m59s"],
      [3_600_000, "1h00m"],
      [7_620_000, "2h07m"],
      [86_400_000, "1d00h"],
    ];
    expect(cases.map(([ms]) => formatElapsed(ms))).toEqual(cases.map(([, text]) => text));
  });
});

describe("formatAge", () => {
  it("is short, and never negative", () => {
    expect(formatAge(5000, 0)).toBe("now");
    expect(formatAge(0, 4900)).toBe("4s ago");
    expect(formatAge(0, 185_000)).toBe("3m05s ago");
  });
});

describe("formatTime and countOf", () => {
  it("writes UTC and plurals", () => {
    expect(formatTime(0)).toBe("1970-01-01 00:00:00");
    expect(formatTime(1e17)).toBe("3170843-11-07 09:46:40");
    expect([countOf(0, "run"), countOf(1, "run"), countOf(2, "run")]).toEqual(["0 runs", "1 run", "2 runs"]);
  });
});
