import { describe, expect, it } from "vitest";
import { readCron } from "./cron.ts";

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("times as cron has them", () => {
  it("are five sets of numbers", () => {
    expect(readCron("0 3 * * 1-5")).toEqual({
      minutes: [0],
      hours: [3],
      days: range(1, 31),
      months: range(1, 12),
      weekdays: range(1, 5),
      anyDay: true,
      anyWeekday: false,
    });
  });

  it("know lists, ranges, steps, names, and Sunday as 0 and 7", () => {
    expect(readCron("*/20,5 8-18/5 10/10 JAN,mar-Apr 7,sat")).toEqual({
      minutes: [0, 5, 20, 40],
      hours: [8, 13, 18],
      days: [10, 20, 30],
      months: [1, 3, 4],
      weekdays: [0, 6],
      anyDay: false,
      anyWeekday: false,
    });
  });

  it("have short names", () => {
    expect(readCron("@daily")).toEqual(readCron("0 0 * * *"));
    expect(readCron("@weekly")).toMatchObject({ weekdays: [0], anyWeekday: false, anyDay: true });
  });

  it("are refused when a field says nothing, too much, or nothing that can be", () => {
    expect(readCron("0 3 * *")).toBe("it has 4 fields instead of 5");
    expect(readCron("  0  3 * * * ")).toEqual(readCron("0 3 * * *"));
    expect(readCron("@never")).toBe("it has 1 fields instead of 5");
    for (const [text, title] of [
      ["60 * * * *", "the minute"],
      ["*/0 * * * *", "the minute"],
      ["1, * * * *", "the minute"],
      ["* 5-3 * * *", "the hour"],
      ["* 1-x * * *", "the hour"],
      ["* * 0 * *", "the day of the month"],
      ["* * * foo *", "the month"],
      ["* * * * 8", "the day of the week"],
      ["* * * * L", "the day of the week"],
    ] as const) {
      expect(readCron(text)).toMatch(new RegExp(`^${title} ".*" must be `));
    }
  });

  it("are refused when that day never comes, and not when a weekday fits as well", () => {
    expect(readCron("0 0 30 2 *")).toBe("there is no such day in these months");
    expect(readCron("0 0 31 4,6 *")).toBe("there is no such day in these months");
    expect(readCron("0 0 29 2 *")).toMatchObject({ days: [29] });
    expect(readCron("0 0 31 2 1")).toMatchObject({ days: [31], weekdays: [1] });
  });
});
