import { describe, expect, test } from "vitest";
import { EMPTY, join, land, leave, type Queue, renew, report, type Waiting } from "./queue.ts";

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

  test("a queue that nobody has, and nothing is under way in, stays as it is whatever is said of it", () => {
    expect(renew(EMPTY, 5)).toEqual(EMPTY);
    expect(land(EMPTY, { from: "x", to: "y", commits: {} })).toEqual(EMPTY);
    expect(report(EMPTY, { is: "raced" })).toEqual(EMPTY);
  });
});
