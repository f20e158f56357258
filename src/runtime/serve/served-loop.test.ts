import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Loop, Trigger } from "../../blueprint/project/project-file.ts";
import { createLoopReader } from "./served-loop.ts";

function loopOf(name: string, trigger: Trigger): Loop {
  return {
    ...{ name, source: "a.yaml", kind: "blueprint", level: "L1", params: {}, trigger, catchUp: "one", jitterMs: 0 },
    ...{ priority: 0, lane: "default", paths: [], maxOpen: null, agent: null, weight: { memoryBytes: 0, cpus: 0 } },
    where: { file: "pawl.yaml", line: 1, column: 1, length: 1 },
  };
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

it("loops with one trigger share its times, and each of a cadence has its own among them", () => {
  const read = createLoopReader();
  const every = { kind: "every", minMs: 60_000, maxMs: 120_000 } as const;
  const [one, two] = [read(loopOf("one", every)), read(loopOf("two", { ...every }))];
  expect(two.times).toBe(one.times);
  expect(two.trigger).toBe(one.trigger);
  expect(two.times?.after("two", 0)).not.toBe(one.times?.after("one", 0));
  expect(read(loopOf("three", { kind: "watch_ref", ref: "main" })).times).toBeNull();
});

it("of ten thousand loops little is kept beside what was written of them", () => {
  const written = Array.from({ length: 10_000 }, (_, index) =>
    loopOf(
      `loop-${index}`,
      index % 2 === 0
        ? { kind: "every", minMs: 3_600_000, maxMs: 7_200_000 }
        : { kind: "cron", text: `${index % 60} 3 1 1 *`, zone: "Europe/Berlin" },
    ),
  );
  const before = heapBytes();
  const served = written.map(createLoopReader());
  const each = (heapBytes() - before) / served.length;
  expect(served).toHaveLength(written.length);
  expect(each).toBeLessThan(300);
});
