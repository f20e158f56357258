import { describe, expect, it } from "vitest";
import { createDailyBreaker } from "./daily-breaker.ts";

const NOON = Date.UTC(2026, 10, 16, 12);
const HOUR = 3_600_000;

function breaker(cap: number) {
  let now = NOON;
  const made = createDailyBreaker(cap, () => now);
  const state = () => [made.spent, made.remaining, made.isOpen] as const;
  return { made, state, pass: (ms: number) => (now += ms) };
}

describe("the breaker of a day", () => {
  it("opens with the last token of its cap", () => {
    const { made, state } = breaker(100);
    expect([made.cap, state()]).toEqual([100, [0, 100, false]]);
    made.charge(99);
    expect(state()).toEqual([99, 1, false]);
    made.charge(6);
    expect([state(), made.standing()]).toEqual([[105, 0, true], { spent: 105, cap: 100, isKilled: false }]);
  });

  it("counts from nothing on a new day, and from where it was when the clock is put back", () => {
    const { made, state, pass } = breaker(100);
    made.charge(100);
    pass(11 * HOUR);
    expect(state()).toEqual([100, 0, true]);
    pass(HOUR);
    expect(state()).toEqual([0, 100, false]);
    made.charge(40);
    pass(-HOUR);
    expect(state()).toEqual([40, 60, false]);
  });

  it("stays open once somebody has opened it, on the next day too", () => {
    const { made, state, pass } = breaker(100);
    made.kill();
    pass(24 * HOUR);
    expect([state(), made.standing()]).toEqual([[0, 100, true], { spent: 0, cap: 100, isKilled: true }]);
  });

  it("gives nothing back, and is open where it cannot count", () => {
    const { made, state } = breaker(100);
    made.charge(-50);
    expect(state()).toEqual([0, 100, false]);
    made.charge(Number.NaN);
    expect([made.remaining, made.isOpen]).toEqual([0, true]);
    expect([breaker(Number.NaN).state(), breaker(0).state()]).toEqual([
      [0, 0, true],
      [0, 0, true],
    ]);
    expect(breaker(Number.POSITIVE_INFINITY).state()).toEqual([0, Number.POSITIVE_INFINITY, false]);
  });
});
