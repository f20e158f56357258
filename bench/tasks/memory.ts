/** Memory: how much a process keeps for runs that have finished, after forced garbage collection. */
import { setTimeout as sleep } from "node:timers/promises";
import { createStageMeter } from "../meter.ts";
import type { RunRequest, Session, System } from "../system.ts";
import { driveLoad, runsOf } from "./drive-load.ts";
import type { MemoryReport, TaskOf } from "./task.ts";

const WARM_UP_RUNS = 2000;

export async function performMemory(system: System<Session>, task: TaskOf<"memory">): Promise<MemoryReport> {
  const meter = createStageMeter();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: task.concurrency, meter });
  const request: RunRequest = { stages: 10, shape: "line", end: "succeeded" };
  await driveLoad(session, meter, runsOf(WARM_UP_RUNS, task.concurrency, request));
  meter.reset();
  const before = await settledMemory();
  for (let done = 0; done < task.runs; done += 1000) {
    await driveLoad(session, meter, runsOf(Math.min(1000, task.runs - done), task.concurrency, request));
    meter.reset();
  }
  const after = await settledMemory();
  await session.close();
  return { runs: task.runs, rssBytes: after.rss - before.rss, heapBytes: after.heapUsed - before.heapUsed };
}

async function settledMemory(): Promise<NodeJS.MemoryUsage> {
  if (globalThis.gc === undefined) throw new Error("the memory task needs node --expose-gc");
  for (let i = 0; i < 4; i += 1) {
    globalThis.gc();
    await sleep(50);
  }
  return process.memoryUsage();
}
