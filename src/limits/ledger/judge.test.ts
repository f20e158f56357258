import { describe, expect, it } from "vitest";
import { type Account, type Cap, capName, FLEET } from "./cap.ts";
import { type Books, judge } from "./judge.ts";
import { isForgotten, type Waiter } from "./line.ts";
import type { Reservation } from "./reservation.ts";
import { leavesWeek, quarterOf } from "./windows.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const LOOP: Account = { scope: "loop", name: "sweeper" };

const cap = (amount: number, fields: Partial<Cap> = {}): Cap => ({
  account: FLEET,
  unit: "tokens",
  window: "run",
  amount,
  source: "pawl.yaml:1:1",
  ...fields,
});

const asking = (tokens: number, fields: Partial<Reservation> = {}): Reservation => ({
  key: "k",
  at: NOON,
  accounts: [LOOP, FLEET],
  amounts: { tokens },
  caps: [cap(100)],
  priority: 0,
  wait: true,
  ...fields,
});

const waiter = (who: string, tokens: number, fields: Partial<Waiter> = {}): Waiter => ({
  who,
  since: NOON - HOUR,
  priority: 0,
  accounts: [FLEET],
  amounts: { tokens },
  blocked: [capName(cap(0))],
  until: NOON + HOUR,
  ...fields,
});

/** Books of which every account has spent and holds the same. */
function books(spent: number, reserved: number, fields: Partial<Books> = {}): Books {
  return {
    total: () => ({ spent, reserved }),
    before: () => 0,
    reaching: (_, __, first) => first + 600,
    line: () => [],
    ...fields,
  };
}

const answered = (kept: Books, request: Reservation): unknown => judge(kept, request).answer;

describe("a reservation", () => {
  it("is granted as long as settled, reserved and asked stay within every cap", () => {
    const granted = { granted: true, degraded: null };
    expect(answered(books(30, 40), asking(30))).toEqual(granted);
    expect(answered(books(30, 40), asking(31))).toMatchObject({ granted: false, spent: 30, reserved: 40, asked: 31 });
    expect(answered(books(30, 40), asking(31, { caps: [] }))).toEqual(granted);
    const foreign = cap(0, { account: { scope: "user", name: "ann" } });
    expect(answered(books(30, 40), asking(30, { caps: [foreign, cap(100)] }))).toEqual(granted);
  });

  it("is refused by the cap that frees last, and by the first of two that do so at the same time", () => {
    const day = cap(50, { window: "day" });
    const week = cap(50, { window: "week" });
    const ever = cap(50);
    const refusal = (caps: readonly Cap[]): unknown => answered(books(40, 0), asking(20, { caps }));
    expect(refusal([day, week])).toMatchObject({ cap: week });
    expect(refusal([week, ever, day])).toMatchObject({ cap: ever, freesAt: null });
    expect(refusal([day, cap(51, { window: "day" })])).toMatchObject({ cap: day });
  });

  it("frees with the next day, with the quarter that leaves the week, when others end, or never", () => {
    const frees = (kept: Books, request: Reservation): unknown => {
      const { answer } = judge(kept, request);
      return answer.granted ? "granted" : answer.freesAt;
    };
    expect(frees(books(90, 0), asking(20, { caps: [cap(100, { window: "day" })] }))).toBe(NOON + 12 * HOUR);
    const asked: number[] = [];
    const kept = books(90, 0, {
      before: () => 10,
      reaching(_, __, first, amount) {
        asked.push(first, amount);
        return first + 3;
      },
    });
    const week = asking(30, { caps: [cap(100, { window: "week" })] });
    const first = quarterOf(NOON - 7 * 24 * HOUR);
    expect(frees(kept, week)).toBe(leavesWeek(first + 3));
    expect(asked).toEqual([first, 20]);
    expect(frees(books(10, 85), asking(20))).toBe(NOON + 30_000);
    expect(frees(books(90, 0), asking(20))).toBeNull();
    expect(frees(books(0, 0), asking(101, { caps: [cap(100, { window: "day" })] }))).toBeNull();
  });

  it("of other units goes on while a cap is full, and is refused while it is overdrawn", () => {
    const request = asking(0, { amounts: { microUsd: 5 } });
    const line = (): readonly Waiter[] => [waiter("big", 90)];
    expect(answered(books(60, 40, { line }), request)).toEqual({ granted: true, degraded: null });
    expect(answered(books(61, 40), request)).toMatchObject({ granted: false, asked: 0, freesAt: NOON + 30_000 });
    expect(answered(books(101, 0), request)).toMatchObject({ granted: false, freesAt: null });
  });

  it("is told the first cap of which 80 % were spent or held before it", () => {
    const first = cap(200);
    const caps = [first, cap(100), cap(99)];
    expect(answered(books(40, 39), asking(10, { caps: [cap(100)] }))).toEqual({ granted: true, degraded: null });
    expect(answered(books(40, 40), asking(10, { caps }))).toEqual({ granted: true, degraded: cap(100) });
  });
});

describe("the line", () => {
  it("keeps for those before one what they are waiting for", () => {
    const line = (): readonly Waiter[] => [waiter("big", 70), waiter("other", 5)];
    expect(answered(books(10, 0, { line }), asking(15))).toMatchObject({ granted: true });
    expect(answered(books(10, 0, { line }), asking(16))).toMatchObject({ granted: false, ahead: 2 });
  });

  it("is asked about again when those before one ask again, but not too soon, and once an hour at least", () => {
    const frees = (until: number, reserved = 0): unknown =>
      answered(books(10, reserved, { line: () => [waiter("big2", 70), waiter("big", 70, { until })] }), asking(50));
    const patience = 2_700_000;
    expect(frees(NOON + patience + 90_000)).toMatchObject({ freesAt: NOON + 90_000 });
    expect(frees(NOON + patience - 90_000)).toMatchObject({ freesAt: NOON + 30_000 });
    const late = (): readonly Waiter[] => [waiter("big", 70, { until: NOON + patience + 2 * HOUR })];
    expect(answered(books(10, 0, { line: late }), asking(50))).toMatchObject({ freesAt: NOON + HOUR });
    expect(answered(books(10, 41, { line: late }), asking(50))).toMatchObject({ freesAt: NOON + 30_000 });
  });

  it("stands in nobody's way who needs other caps, came later, has not come back, or cannot be served before the day ends", () => {
    const goes = (other: Waiter, caps: readonly Cap[] = [cap(100)]): boolean =>
      judge(books(40, 0, { line: () => [other] }), asking(50, { caps })).answer.granted;
    expect(goes(waiter("big", 60))).toBe(false);
    expect(goes(waiter("big", 60, { blocked: ["fleet:* microUsd/run"] }))).toBe(true);
    expect(goes(waiter("big", 60, { accounts: [LOOP] }))).toBe(true);
    expect(goes(waiter("big", 60, { amounts: { microUsd: 9 } }))).toBe(true);
    expect(goes(waiter("big", 60, { since: NOON + 1 }))).toBe(true);
    expect(goes(waiter("big", 60, { until: NOON }))).toBe(true);
    expect(goes(waiter("big", 61))).toBe(true);
    const day = cap(100, { window: "day" });
    const week = cap(100, { window: "week" });
    expect(goes(waiter("big", 61, { blocked: [capName(day)] }), [day])).toBe(true);
    expect(goes(waiter("big", 61, { blocked: [capName(week)] }), [week])).toBe(false);
  });

  it("is ordered by priority, and a point of it is worth ten minutes: whoever waits long enough stands first", () => {
    const goes = (other: Partial<Waiter>, mine: Partial<Reservation>): boolean =>
      judge(books(40, 0, { line: () => [waiter("big", 60, other)] }), asking(50, mine)).answer.granted;
    expect(goes({ since: NOON - 49 * 60_000 }, { priority: 5 })).toBe(true);
    expect(goes({ since: NOON - 51 * 60_000 }, { priority: 5 })).toBe(false);
    expect(goes({ since: NOON, priority: 1 }, {})).toBe(false);
    // Of two that came at once, one is always first.
    expect([goes({ since: NOON, who: "a" }, {}), goes({ since: NOON, who: "z" }, {})]).toEqual([false, true]);
  });

  it("keeps the place of who asks again, also under another key, and adds up which caps refuse it", () => {
    const before = waiter("me", 60, { blocked: ["loop:x tokens/day"] });
    const kept = books(60, 0, { line: () => [before] });
    const request = asking(50, { key: "me/2", waiter: "me", priority: 2, caps: [cap(100, { window: "day" })] });
    expect(judge(kept, request).waiter).toEqual({
      who: "me",
      since: NOON - HOUR,
      priority: 2,
      accounts: [LOOP, FLEET],
      amounts: { tokens: 50 },
      blocked: ["fleet:* tokens/day", "loop:x tokens/day"],
      until: NOON + 12 * HOUR + 2_700_000,
    });
  });

  it("takes in nobody who does not wait, nothing that never frees, and lets go who was granted", () => {
    const before = waiter("k", 60);
    const kept = books(60, 30, { line: () => [before] });
    expect(judge(books(60, 30), asking(20)).waiter).toMatchObject({ who: "k", since: NOON });
    expect(judge(books(60, 30), asking(20, { wait: false })).waiter).toBeNull();
    expect(judge(kept, asking(20, { wait: false })).waiter).toEqual(before);
    expect(judge(kept, asking(101)).waiter).toBeNull();
    expect(judge(kept, asking(5)).waiter).toBeNull();
  });

  it("forgets who has not come back for a week", () => {
    const until = NOON;
    expect(isForgotten(waiter("me", 1, { until }), NOON + 7 * 24 * HOUR)).toBe(false);
    expect(isForgotten(waiter("me", 1, { until }), NOON + 7 * 24 * HOUR + 1)).toBe(true);
  });
});
