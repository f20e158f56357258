/** Queries: a page of 20 and one run with its events, at several sizes of the same store. One run in 100 has failed. */
import { createStageMeter } from "../meter.ts";
import { median } from "../statistics.ts";
import type { ListRequest, StoreSession, System } from "../system.ts";
import type { QuerySample, TaskOf } from "./task.ts";

const LANES = 256;
const SAMPLES = 200;
const DEEP_PAGES = 25;

export async function performQueries(
  system: System<StoreSession>,
  task: TaskOf<"queries">,
): Promise<readonly QuerySample[]> {
  const meter = createStageMeter();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: LANES, meter });
  const runs: string[] = [];
  const samples: QuerySample[] = [];
  for (const size of task.sizes) {
    await fill(session, runs, size);
    samples.push(await sample(session, runs));
  }
  await session.close();
  return samples;
}

async function fill(session: StoreSession, runs: string[], size: number): Promise<void> {
  let started = runs.length;
  const lane = async (): Promise<void> => {
    while (started < size) {
      started += 1;
      const end = started % 100 === 0 ? "failed" : "succeeded";
      runs.push(await session.run({ stages: 1, shape: "line", end }));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function sample(session: StoreSession, runs: readonly string[]): Promise<QuerySample> {
  const list = async (request: ListRequest, atLeast: number): Promise<void> => {
    const page = await session.list(request);
    if (page.rows < atLeast) throw new Error(`a page has ${page.rows} rows of ${atLeast}`);
  };
  const deep = await deepCursor(session);
  const failedRows = Math.min(20, Math.floor(runs.length / 100));
  const stride = Math.max(1, Math.floor(runs.length / SAMPLES));
  return {
    runs: runs.length,
    listMs: await time(() => list({ failedOnly: false, cursor: null }, 20)),
    listFailedMs: await time(() => list({ failedOnly: true, cursor: null }, failedRows)),
    listDeepMs: await time(() => list({ failedOnly: false, cursor: deep }, 20)),
    showMs: await time(async (i) => {
      const run = runs[(i * stride) % runs.length] ?? "";
      if ((await session.show(run)) === 0) throw new Error(`run ${run} has no events`);
    }),
  };
}

async function deepCursor(session: StoreSession): Promise<string | null> {
  let cursor: string | null = null;
  for (let i = 0; i < DEEP_PAGES; i += 1) cursor = (await session.list({ failedOnly: false, cursor })).next;
  return cursor;
}

async function time(work: (i: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const start = performance.now();
    await work(i);
    times.push(performance.now() - start);
  }
  return median(times);
}
