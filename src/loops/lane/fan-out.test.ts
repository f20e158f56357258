import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertAsyncProperty } from "../../../test/support/property.ts";
import { type FanOutOptions, fanOut } from "./fan-out.ts";

/** Runs and counts the most that were in flight, of all and of one key. */
async function measured(items: readonly string[], options: FanOutOptions<string>) {
  const inFlight = new Map<string, number>();
  const most = { all: 0, ofKey: 0 };
  const results = await fanOut(items, options, async (item) => {
    const key = item.slice(0, 1);
    inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
    const all = [...inFlight.values()].reduce((sum, n) => sum + n, 0);
    most.all = Math.max(most.all, all);
    most.ofKey = Math.max(most.ofKey, inFlight.get(key) ?? 0);
    await turn();
    inFlight.set(key, (inFlight.get(key) ?? 0) - 1);
    return item;
  });
  return { ...most, results };
}

const items = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${"abc"[i % 3]}${i}`);
const done = (values: readonly string[]) => values.map((value) => ({ status: "done", value }));
const key = (item: string): string => item.slice(0, 1);

describe("fan-out", () => {
  it("C2: results come in the order of the items, whatever ends first", async () => {
    const results = await fanOut([3, 1, 2], { maxConcurrent: 3 }, async (turns) => {
      for (let i = 0; i < turns; i += 1) await turn();
      return turns;
    });
    expect(results).toEqual([3, 1, 2].map((value) => ({ status: "done", value })));
  });

  it("C2: never runs more at once than the bound, of all and of one key", async () => {
    const list = items(60);
    expect(await measured(list, { maxConcurrent: 5 })).toEqual({ all: 5, ofKey: 2, results: done(list) });
    expect(await measured(list, { maxConcurrent: 5, perKey: 1, key })).toEqual({
      all: 3,
      ofKey: 1,
      results: done(list),
    });
    expect(await measured(list, { maxConcurrent: 1, perKey: 5, key })).toMatchObject({ all: 1 });
  });

  it("C2: 0 is the usual bound, and none must be said", async () => {
    const list = items(60);
    expect(await measured(list, {})).toMatchObject({ all: 8 });
    expect(await measured(list, { maxConcurrent: 0, key })).toMatchObject({ all: 6, ofKey: 2 });
    expect(await measured(list, { maxConcurrent: 0, perKey: 0, key })).toMatchObject({ all: 6, ofKey: 2 });
    const free = { maxConcurrent: Number.POSITIVE_INFINITY, perKey: Number.POSITIVE_INFINITY, key };
    expect(await measured(list, free)).toMatchObject({ all: 60, ofKey: 20 });
    for (const bound of [-1, 1.5, Number.NaN]) {
      const refused = { code: "LANE_BOUND_INVALID" };
      await expect(fanOut(list, { maxConcurrent: bound }, key)).rejects.toMatchObject(refused);
      await expect(fanOut(list, { perKey: bound }, key)).rejects.toMatchObject(refused);
    }
  });

  it("C2: what an item throws is its own result", async () => {
    const results = await fanOut([1, 2, 3], { maxConcurrent: 1 }, (item) => {
      if (item === 2) throw new Error("two");
      return item;
    });
    expect(results).toEqual([
      { status: "done", value: 1 },
      { status: "failed", error: new Error("two") },
      { status: "done", value: 3 },
    ]);
  });

  it("C2: a cancel marks what has not begun, and waits for what has", async () => {
    const cancel = new AbortController();
    const told: boolean[] = [];
    const results = await fanOut(
      [0, 1, 2, 3],
      { maxConcurrent: 2, signal: cancel.signal },
      async (item, { index, signal }) => {
        if (index === 1) cancel.abort();
        await turn();
        told.push(signal.aborted);
        return item;
      },
    );
    const statuses = results.map(({ status }) => status);
    expect({ statuses, told }).toEqual({ statuses: ["done", "done", "cancelled", "cancelled"], told: [true, true] });
  });

  it("does every item exactly once, whatever the keys", async () => {
    const bounds = fc.record({ maxConcurrent: fc.integer({ min: 1, max: 6 }), perKey: fc.integer({ min: 1, max: 4 }) });
    await assertAsyncProperty(
      fc.asyncProperty(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 30 }), bounds, async (list, bound) => {
        const begun: number[] = [];
        const results = await fanOut(list, { ...bound, key }, async (item, { index }) => {
          begun.push(index);
          await turn();
          return item;
        });
        expect(results).toEqual(done(list));
        expect(begun.toSorted((a, b) => a - b)).toEqual(list.map((_, i) => i));
      }),
      { runs: 50 },
    );
  });
});
