import { describe, expect, it, test } from "vitest";
import type { Trigger } from "../../blueprint/project/project-file.ts";
import { zoneOf } from "../../limits/quota/zone.ts";
import { dueOf, type Pacing, wakeOf } from "./due.ts";
import { type Times, timesOf } from "./times.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 5, 1, 12);

const pacing = (fields: Partial<Pacing> = {}): Pacing => ({ name: "fix", catchUp: "one", jitterMs: 0, ...fields });
const times = (trigger: Trigger): Times => {
  const found = timesOf(trigger, zoneOf);
  if (found === null) throw new Error("no times");
  return found;
};
const hourly = times({ kind: "cron", text: "0 * * * *", zone: "UTC" });
const often = times({ kind: "every", minMs: 5 * MINUTE, maxMs: 15 * MINUTE });

describe("a cadence", () => {
  test("L7: 5m-15m and 15m-5m are one range, and each distance lies in it", () => {
    const turned = times({ kind: "every", minMs: 15 * MINUTE, maxMs: 5 * MINUTE });
    const gaps = new Set<number>();
    for (let time = NOON, count = 0; count < 500; count += 1) {
      const next = often.after("fix", time);
      expect(turned.after("fix", time)).toBe(next);
      gaps.add(next - time);
      time = next;
    }
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15 * MINUTE);
    expect(gaps.size).toBeGreaterThan(450);
  });

  it("begins soon, and follows the time before unless that is long gone", () => {
    expect(often.first("fix", NOON) - NOON).toBeLessThan(5 * MINUTE);
    expect(often.coming("fix", NOON, NOON + MINUTE)).toBe(often.after("fix", NOON));
    expect(often.coming("fix", NOON, NOON + DAY)).toBe(often.after("fix", NOON + DAY));
    expect(often.newest(NOON, NOON + DAY)).toBe(NOON);
  });
});

describe("a cron line", () => {
  it("is asked of its zone once for all loops that wait for one time, and again when that has come or the clock was put back", () => {
    let asked = 0;
    const zone = () => {
      asked += 1;
      return 0;
    };
    const line = timesOf({ kind: "cron", text: "0 * * * *", zone: "UTC" }, () => zone);
    expect(line?.after("one", NOON)).toBe(NOON + HOUR);
    const once = asked;
    expect(line?.first("two", NOON + 59 * MINUTE)).toBe(NOON + HOUR);
    expect(asked).toBe(once);
    expect(line?.after("one", NOON + HOUR)).toBe(NOON + 2 * HOUR);
    expect(line?.after("one", NOON - 1)).toBe(NOON);
  });

  it("has one zone with all others that name it, however they spell it", () => {
    expect(zoneOf("europe/berlin")).toBe(zoneOf("Europe/Berlin"));
    expect(zoneOf("Mars/Olympus")).toBeNull();
  });
});

describe("whoever has no times", () => {
  it("runs for another reason, or in a zone that is not known here", () => {
    expect(timesOf(null, zoneOf)).toBeNull();
    expect(timesOf({ kind: "watch", files: ["src/**"] }, zoneOf)).toBeNull();
    expect(timesOf({ kind: "cron", text: "0 * * * *", zone: "Mars/Olympus" }, zoneOf)).toBeNull();
    expect(timesOf({ kind: "cron", text: "often", zone: "UTC" }, zoneOf)).toBeNull();
  });
});

describe("what is due", () => {
  const at = (hours: number): number => NOON + hours * HOUR;

  it("waits for its time, and for the jitter of it, which is always the same", () => {
    expect(dueOf(pacing(), hourly, { next: at(1), armedAt: NOON }, NOON)).toEqual({ kind: "wait", until: at(1) });
    const late = pacing({ jitterMs: 10 * MINUTE });
    const until = wakeOf(late, at(1));
    expect(until - at(1)).toBeGreaterThanOrEqual(0);
    expect(until - at(1)).toBeLessThanOrEqual(10 * MINUTE);
    expect(dueOf(late, hourly, { next: at(1), armedAt: NOON }, until - 1)).toEqual({ kind: "wait", until });
    expect(dueOf(late, hourly, { next: at(1), armedAt: NOON }, until)).toMatchObject({ kind: "fire", time: at(1) });
  });

  test("L7: fires with the next time known before anything runs", () => {
    expect(dueOf(pacing(), hourly, { next: at(1), armedAt: NOON }, at(1) + 5)).toEqual({
      kind: "fire",
      time: at(1),
      next: at(2),
      missed: null,
    });
  });

  test("L7: twelve missed times are one run, none, or one run each, one after the other", () => {
    const armed = { next: at(1), armedAt: NOON };
    const now = at(12) + 10 * MINUTE;
    const missed = { from: at(1), to: at(12) };
    expect(dueOf(pacing(), hourly, armed, now)).toEqual({ kind: "fire", time: at(12), next: at(13), missed });
    expect(dueOf(pacing({ catchUp: "skip" }), hourly, armed, now)).toEqual({ kind: "skip", next: at(13), missed });
    expect(dueOf(pacing({ catchUp: "skip" }), hourly, armed, at(12) + MINUTE)).toMatchObject({
      kind: "fire",
      time: at(12),
    });
    const fired: number[] = [];
    for (let next = at(1); ; ) {
      const due = dueOf(pacing({ catchUp: "all" }), hourly, { next, armedAt: NOON }, now);
      if (due.kind !== "fire") break;
      fired.push(due.time);
      next = due.next;
    }
    expect(fired).toEqual(Array.from({ length: 12 }, (_, index) => at(index + 1)));
  });

  test("L7: a clock that is put forward by an hour or 400 days makes one run of what it skips", () => {
    for (const jump of [HOUR, 400 * DAY]) {
      const due = dueOf(pacing(), often, { next: NOON, armedAt: NOON }, NOON + jump);
      if (due.kind !== "fire") throw new Error(due.kind);
      expect(due.time).toBe(NOON);
      expect(due.next - (NOON + jump)).toBeGreaterThanOrEqual(5 * MINUTE);
      expect(dueOf(pacing(), hourly, { next: at(1), armedAt: NOON }, at(1) + jump)).toMatchObject({
        time: at(1) + jump,
      });
    }
  });

  test("L7: a clock that is put back by an hour or 400 days is followed, but not to a later time, and not for a second", () => {
    for (const jump of [HOUR, 400 * DAY]) {
      const now = NOON - jump;
      const due = dueOf(pacing(), often, { next: NOON + 9 * MINUTE, armedAt: NOON }, now);
      expect(due).toEqual({ kind: "rearm", next: often.first("fix", now) });
    }
    expect(dueOf(pacing(), hourly, { next: at(1), armedAt: NOON }, NOON - 500)).toMatchObject({ kind: "wait" });
    expect(dueOf(pacing(), hourly, { next: at(1), armedAt: at(0.5) }, NOON)).toEqual({ kind: "wait", until: at(1) });
    // A time that is still owed is not forgotten.
    expect(dueOf(pacing({ catchUp: "all" }), hourly, { next: at(1), armedAt: at(9) }, at(3))).toMatchObject({
      time: at(1),
    });
  });
});
