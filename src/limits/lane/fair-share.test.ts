import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { type Caller, compareCallers, costOf, isShare, nextTurns, servedBefore, tagOnArrival } from "./fair-share.ts";

const caller = (name: string, queued: number, fields: Partial<Caller> = {}): Caller => ({
  ...{ name, queued, tag: 0, share: 1, since: name.charCodeAt(0), ...fields },
});

const names = (callers: readonly Caller[], most: number): string =>
  nextTurns(callers, most)
    .map(({ name, index }) => `${name}${index + 1}`)
    .join(" ");

const callersOfALane = fc
  .array(fc.record({ queued: fc.nat(12), share: fc.integer({ min: 1, max: 16 }), turns: fc.nat(5) }), { maxLength: 6 })
  .map((rows) =>
    rows.map(({ queued, share, turns }, i) => caller(`c${i}`, queued, { share, tag: turns * costOf(4), since: i })),
  );

describe("the turns of a lane", () => {
  it("go round, whatever each has queued", () => {
    expect(names([caller("a", 100), caller("b", 1), caller("c", 3)], 8)).toBe("a1 b1 c1 a2 c2 a3 c3 a4");
  });

  it("come as often as the share of a caller says", () => {
    expect(names([caller("a", 9), caller("b", 9, { share: 2 })], 7)).toBe("a1 b1 b2 a2 b3 b4 a3");
  });

  it("end with the last job", () => {
    expect(names([caller("a", 2), caller("b", 0)], 8)).toBe("a1 a2");
    expect(names([], 8)).toBe("");
  });

  it("begin for who comes late where the lane is, and not before", () => {
    expect(tagOnArrival(0, 500)).toBe(500);
    expect(tagOnArrival(700, 500)).toBe(700);
  });

  it("take whole shares from 1 to 16", () => {
    expect([1, 16, 0, 17, 1.5, Number.NaN].map(isShare)).toEqual([true, true, false, false, false, false]);
    expect(Array.from({ length: 16 }, (_, i) => costOf(i + 1)).every(Number.isInteger)).toBe(true);
  });

  it("put who has waited longer first when both are due", () => {
    expect(compareCallers(caller("a", 1, { since: 2 }), caller("b", 1, { since: 1 }))).toBe(1);
    expect(compareCallers(caller("a", 1, { tag: 1 }), caller("b", 1, { tag: 3, since: 1 }))).toBe(-2);
  });

  it("are foreseen by the position of every job", () => {
    assertProperty(
      fc.property(callersOfALane, (callers) => {
        const turns = nextTurns(callers, 1000);
        const foreseen = turns.map(({ name, index }) =>
          servedBefore(callers, callers.find((one) => one.name === name) as Caller, index),
        );
        expect(foreseen).toEqual(turns.map((_, i) => i));
      }),
    );
  });

  it("differ by less than one turn from the shares, as long as all have something queued", () => {
    const callers = [1, 2, 3, 5, 16].map((share, i) => caller(`c${i}`, 100_000, { share, since: i }));
    const turns = nextTurns(callers, 2700);
    for (const { name, share } of callers) {
      const served = turns.filter((turn) => turn.name === name).length;
      expect(Math.abs(served - (2700 * share) / 27), name).toBeLessThanOrEqual(share);
    }
  });
});
