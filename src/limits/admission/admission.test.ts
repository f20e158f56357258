import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { admitLoad, isInLine, type Load, NO_WEIGHT, type Waiting } from "./admission.ts";

const TOTAL = { memoryBytes: 100, cpus: 4 };
const load = (memoryBytes: number, cpus = 0, total = TOTAL): Load => ({ weight: { memoryBytes, cpus }, total });
const waiting = (memoryBytes: number, passed = 0): Waiting => ({ ...load(memoryBytes), passed });
const yes = (...passes: number[]) => ({ admitted: true, passes });
const no = (why: string) => ({ admitted: false, why });

describe("a job with a weight", () => {
  it("begins as long as memory and processors last", () => {
    expect(admitLoad([load(60)], [], load(40))).toEqual(yes());
    expect(admitLoad([load(60)], [], load(41))).toEqual(no("the memory of the machine is taken"));
    expect(admitLoad([load(0, 3.9)], [], load(0, 0.1))).toEqual(yes());
    expect(admitLoad([load(0, 0.1), load(0, 0.2)], [], load(0, 3.7))).toEqual(yes());
    expect(admitLoad([load(60, 4)], [], load(10, 1))).toEqual(no("the processors of the machine are taken"));
    expect(admitLoad([load(100, 4)], [], load(0, 1))).toEqual(no("the processors of the machine are taken"));
  });

  it("has the machine alone when it is heavier", () => {
    expect(admitLoad([], [], load(500, 9))).toEqual(yes());
    expect(admitLoad([load(1)], [], load(500))).toEqual(no("the memory of the machine is taken"));
    expect(admitLoad([load(500)], [], load(1))).toEqual(no("the memory of the machine is taken"));
  });

  it("waits for nothing when it says none", () => {
    expect(admitLoad([load(500, 9)], [waiting(80, 8)], { weight: NO_WEIGHT, total: TOTAL })).toEqual(yes(0));
  });

  it("keeps to the strictest total of those that run or ask", () => {
    expect(admitLoad([load(30, 0, { memoryBytes: 40, cpus: 4 })], [], load(20))).toMatchObject({ admitted: false });
    expect(admitLoad([load(30)], [], load(20, 0, { memoryBytes: 40, cpus: 4 }))).toMatchObject({ admitted: false });
  });

  it("leaves to those before it what fits them, and passes those it does not", () => {
    expect(admitLoad([load(60)], [waiting(30)], load(20))).toEqual(no("the memory of the machine is taken"));
    expect(admitLoad([load(60)], [waiting(80), waiting(10)], load(20))).toEqual(yes(0));
    expect(admitLoad([load(60)], [waiting(80, 7)], load(20))).toEqual(yes(0));
    expect(admitLoad([load(60)], [waiting(80, 8)], load(20))).toEqual(no("one that waits was passed often enough"));
  });

  it("stands in line as long as it asks again", () => {
    expect([isInLine(0, 10_000), isInLine(0, 10_001)]).toEqual([true, false]);
  });

  it("never takes more than there is, and never waits for ever", () => {
    const jobs = fc.array(
      fc.record({ memory: fc.integer({ min: 1, max: 120 }), turns: fc.integer({ min: 1, max: 5 }) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    assertProperty(
      fc.property(jobs, (list) => {
        const line = list.map(({ memory, turns }) => ({ ...waiting(memory), turns }));
        let running: typeof line = [];
        for (let round = 0; line.length > 0; round += 1) {
          expect(round).toBeLessThan(1000);
          // Who came last asks first.
          for (let place = line.length - 1; place >= 0; place -= 1) {
            const asking = line[place] as (typeof line)[number];
            const answer = admitLoad(running, line.slice(0, place), asking);
            if (!answer.admitted) continue;
            for (const passed of answer.passes)
              line[passed] = { ...(line[passed] as typeof asking), passed: (line[passed] as typeof asking).passed + 1 };
            running.push(asking);
            line.splice(place, 1);
            const sum = running.reduce((bytes, { weight }) => bytes + weight.memoryBytes, 0);
            expect(sum <= 100 || running.length === 1).toBe(true);
          }
          running = running.map((one) => ({ ...one, turns: one.turns - 1 })).filter(({ turns }) => turns > 0);
        }
      }),
    );
  });
});
