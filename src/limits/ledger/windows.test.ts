import { describe, expect, it } from "vitest";
import { FLEET, type Window } from "./cap.ts";
import { firstQuarter, leavesWeek, nextDay, quarterOf } from "./windows.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const of = (window: Window, offsetMinutes?: number) => ({
  account: FLEET,
  window,
  ...(offsetMinutes === undefined ? {} : { offsetMinutes }),
});

describe("a window", () => {
  it("of an account that lives, and of a run whatever is written, counts everything", () => {
    expect(firstQuarter(of("run"), NOON)).toBeNull();
    expect(firstQuarter({ ...of("day"), account: { scope: "run", name: "r_1" } }, NOON)).toBeNull();
  });

  it("of a day begins at midnight of its zone and ends a day later", () => {
    expect(firstQuarter(of("day"), NOON)).toBe(quarterOf(NOON - 12 * HOUR));
    expect(nextDay({}, NOON)).toBe(NOON + 12 * HOUR);
    expect(firstQuarter(of("day", 330), NOON)).toBe(quarterOf(NOON - 17.5 * HOUR));
    expect(nextDay({ offsetMinutes: 330 }, NOON)).toBe(NOON + 6.5 * HOUR);
    expect(nextDay({ offsetMinutes: -720 }, NOON)).toBe(NOON + 24 * HOUR);
    expect(nextDay({ offsetMinutes: -720 }, NOON - 1)).toBe(NOON);
  });

  it("of a week lets a quarter go only when all of it is seven days old", () => {
    const quarter = quarterOf(NOON);
    const free = leavesWeek(quarter);
    expect(free).toBe(NOON + 7 * 24 * HOUR + HOUR / 4);
    expect(firstQuarter(of("week"), free - 1)).toBe(quarter);
    expect(firstQuarter(of("week"), free)).toBe(quarter + 1);
  });
});
