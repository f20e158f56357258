import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";

const push = (queue: FairQueue<null>, id: string, priority = 0, share?: number): number =>
  queue.push({ id, caller: id.slice(0, 1), priority, value: null }, share);

function drain(queue: FairQueue<null>): readonly string[] {
  const ids: string[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) ids.push(next.id);
  return ids;
}

describe("a fair queue", () => {
  it("serves in the order that it foretells", () => {
    const job = fc.record({
      caller: fc.constantFrom("a", "b", "c"),
      priority: fc.nat(3),
      share: fc.integer({ min: 1, max: 3 }),
    });
    assertProperty(
      fc.property(fc.array(job, { maxLength: 40 }), (jobs) => {
        const queue = createFairQueue<null>();
        for (const [i, { caller, priority, share }] of jobs.entries()) push(queue, `${caller}${i}`, priority, share);
        const foretold = queue.first(100).map(({ id }) => id);
        expect(queue.size()).toBe(jobs.length);
        expect(foretold.map((id) => queue.position(id))).toEqual(foretold.map((_, i) => i + 1));
        expect(drain(queue)).toEqual(foretold);
        expect(queue.size()).toBe(0);
      }),
    );
  });

  it("serves by priority within a caller, and first come first served", () => {
    const queue = createFairQueue<null>();
    for (const [id, priority] of [
      ["a1", 0],
      ["a2", 5],
      ["a3", 5],
      ["b1", 0],
    ] as const)
      push(queue, id, priority);
    expect(drain(queue)).toEqual(["a2", "b1", "a3", "a1"]);
  });

  it("takes what is removed out, and knows nothing of what is not there", () => {
    const queue = createFairQueue<null>();
    push(queue, "a1");
    push(queue, "b1");
    expect(queue.remove("a1")).toMatchObject({ id: "a1" });
    expect(queue.remove("a1")).toBeNull();
    expect(queue.position("a1")).toBeNull();
    expect(drain(queue)).toEqual(["b1"]);
  });

  it("gives back the turn of what is put back, and passes over what is not ready", () => {
    const queue = createFairQueue<null>();
    const [first] = ["a1", "a2", "b1", "b2", "b3"].map((id) => push(queue, id));
    const taken = queue.take();
    expect(taken).toMatchObject({ id: "a1" });
    if (taken !== null) queue.putBack(taken, first ?? 0);
    expect(queue.first(2).map(({ id }) => id)).toEqual(["a1", "b1"]);
    const notA = (entry: { caller: string }): boolean => entry.caller !== "a";
    expect([queue.take(notA)?.id, queue.take(notA)?.id]).toEqual(["b1", "b2"]);
    expect(queue.take(() => false)).toBeNull();
    expect(drain(queue)).toEqual(["a1", "a2", "b3"]);
  });
});
