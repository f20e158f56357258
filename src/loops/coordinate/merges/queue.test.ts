import { describe, expect, test } from "vitest";
import { EMPTY, join, land, leave, type Queue, renew, report, take, type Waiting } from "./queue.ts";

const waiting = (id: string): Waiting => ({ id, priority: 0, at: 1, notBefore: 0 });

const BUSY: Queue = {
  token: 3,
  worker: { name: "w", until: 9 },
  active: { group: ["a", "b"], landing: null },
  groups: [["c"], ["d", "e"]],
  fresh: [waiting("f"), waiting("g")],
  tries: 0,
};

describe("the law of a queue", () => {
  test("a change joins once, wherever in the queue it stands", () => {
    for (const id of ["a", "d", "g"]) expect(join(BUSY, waiting(id))).toEqual(BUSY);
    expect(join(BUSY, waiting("h"))).toEqual({ ...BUSY, fresh: [waiting("f"), waiting("g"), waiting("h")] });
  });

  test("a change leaves from where it waits, and a group without changes is gone", () => {
    expect(leave(BUSY, "c")).toEqual({ ...BUSY, groups: [["d", "e"]] });
    expect(leave(BUSY, "d")).toEqual({ ...BUSY, groups: [["c"], ["e"]] });
    expect(leave(BUSY, "f")).toEqual({ ...BUSY, fresh: [waiting("g")] });
  });

  test("a change that is under way does not leave", () => {
    expect(leave(BUSY, "a")).toEqual(BUSY);
  });

  test("the larger priority goes first, by a minute for each: whoever waits longer than that is before it", () => {
    const of = (id: string, priority: number, at: number): Waiting => ({ id, priority, at, notBefore: 0 });
    const high = of("high", 5, 300_000);
    const order = (...fresh: readonly Waiting[]) =>
      take({ ...EMPTY, fresh }, { name: "w" }, { at: 400_000, gone: new Set(), dueBefore: 0 })?.active?.group;
    expect(order(of("low", 0, 1), high)).toEqual(["high", "low"]);
    expect(order(high, of("early", 0, -1))).toEqual(["early", "high"]);
    expect(order(of("even", 0, 0), high)).toEqual(["high", "even"]);
    expect(order(of("b", 0, 1), of("a", 0, 1))).toEqual(["a", "b"]);
    const keepsComing = Array.from({ length: 9 }, (_, index) => of(`n${index}`, 5, 300_000 + index));
    expect(order(...keepsComing, of("early", 0, -1))).toContain("early");
    expect(order(...keepsComing, of("late", 0, 60_000))).not.toContain("late");
  });

  test("a queue that nobody has, and nothing is under way in, stays as it is whatever is said of it", () => {
    expect(renew(EMPTY, 5)).toEqual(EMPTY);
    expect(land(EMPTY, { from: "x", to: "y", commits: {} })).toEqual(EMPTY);
    expect(report(EMPTY, { is: "raced" })).toEqual(EMPTY);
  });
});
