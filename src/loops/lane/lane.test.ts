import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLaneOn } from "./lane.ts";

/** A lane on a clock that a test moves, and work that ends when it is told. */
function bench(maxConcurrent: number) {
  let now = 0;
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const lane = createLaneOn({ maxConcurrent }, () => now);
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  async function end(name: string, tookMs = 0): Promise<void> {
    now += tookMs;
    ends.get(name)?.();
    await turn();
  }
  return { lane, begun, work, end };
}

describe("a lane inside a process", () => {
  it("C1: serves who submits one second after one who submits a hundred", async () => {
    const { lane, begun, work, end } = bench(1);
    const tickets = Array.from({ length: 100 }, (_, i) => lane.submit(work(`a${i}`), { caller: "a" }));
    expect(tickets.slice(0, 3).map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(lane.submit(work("b"), { caller: "b" }).position).toBe(1);
    await end("a0");
    await end("a0");
    expect(await tickets[0]?.result).toBe("a0");
    expect(begun).toEqual(["a0", "b"]);
  });

  it("C1: waits for a result, by priority within a caller, and tells what the work throws", async () => {
    const { lane, begun, work, end } = bench(1);
    const first = lane.submitWait(work("first"));
    const low = lane.submitWait(work("low"));
    const high = lane.submitWait(work("high"), { priority: 1 });
    const wrong = lane.submitWait(() => Promise.reject(new Error("no")), { priority: -1 });
    await turn();
    for (const name of ["first", "high", "low"]) await end(name);
    expect(await Promise.all([first, low, high])).toEqual(["first", "low", "high"]);
    await expect(wrong).rejects.toThrow("no");
    expect(begun).toEqual(["first", "high", "low"]);
    expect(() => lane.submit(work("x"), { share: 17 })).toThrow("its share is 17");
  });

  it("C1: cancels what waits only", async () => {
    const { lane, begun, work, end } = bench(1);
    const [runs, waits] = [lane.submit(work("runs")), lane.submit(work("waits"), { share: 2 })];
    await turn();
    expect(() => lane.cancel(runs.id)).toThrow(expect.objectContaining({ code: "LANE_WORK_RUNNING" }));
    lane.cancel(waits.id);
    await expect(waits.result).rejects.toMatchObject({ code: "LANE_WORK_CANCELLED" });
    expect(() => lane.cancel(waits.id)).toThrow(expect.objectContaining({ code: "LANE_WORK_OVER" }));
    await end("runs");
    expect([lane.position(runs.id), lane.eta(runs.id), begun]).toEqual([null, null, ["runs"]]);
  });

  it("C1: tells its pace and when each is likely to begin, and can be resized while it runs", async () => {
    const { lane, begun, work, end } = bench(1);
    const ids = ["a", "b", "c", "d", "e"].map((name) => lane.submit(work(name)).id);
    const etas = (): unknown => ids.map((id) => lane.eta(id));
    expect(lane.stats()).toEqual({ maxConcurrent: 1, running: 1, queued: 4, perHour: 0, meanMs: null });
    expect(etas()).toEqual([0, null, null, null, null]);
    await turn();
    await end("a", 300);
    expect(etas()).toEqual([null, 0, 300, 600, 900]);
    lane.setMaxConcurrent(3);
    await turn();
    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect(lane.stats()).toEqual({ maxConcurrent: 3, running: 3, queued: 1, perHour: 1, meanMs: 300 });
    lane.setMaxConcurrent(0);
    for (const name of ["b", "c", "d"]) await end(name);
    expect(lane.stats()).toMatchObject({ maxConcurrent: 0, running: 0, queued: 1 });
    expect(lane.position(ids[4] ?? "")).toBe(1);
    expect(() => lane.setMaxConcurrent(-1)).toThrow("cannot run -1 jobs");
    expect(() => createLaneOn({ maxConcurrent: 0 }, () => 0)).toThrow("cannot run 0 jobs");
  });

  it("keeps to its bound through more work than it remembers", async () => {
    const lane = createLaneOn({ maxConcurrent: 3 }, () => 5);
    let [running, most] = [0, 0];
    const all = Array.from({ length: 20_001 }, (_, i) =>
      lane.submitWait(
        async () => {
          running += 1;
          most = Math.max(most, running);
          await null;
          running -= 1;
        },
        { caller: `c${i % 3}` },
      ),
    );
    await Promise.all(all);
    await turn();
    expect({ most, ...lane.stats() }).toMatchObject({ most: 3, running: 0, queued: 0, perHour: 10_001 });
  });
});
