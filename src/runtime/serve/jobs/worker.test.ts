import { describe, expect, test } from "vitest";
import { createVirtualClock } from "../../../../test/support/virtual-clock.ts";
import { createMemoryLoops } from "../../../adapters/memory/loops/loop-store.ts";
import { pawlError } from "../../../base/errors.ts";
import { jobRun } from "../../../loops/lane/job-run.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import type { News } from "../news.ts";
import type { Admission } from "./admission.ts";
import { createFence } from "./fence.ts";
import { createWorker } from "./worker.ts";

const LEASE_MS = 2000;
const FREE: Admission = {
  enter: async () => null,
  renew: async () => true,
  leave: async () => undefined,
  close: async () => undefined,
};

/** One job, claimed once by a process in which looking at its run fails like this. */
async function failing(error: Error) {
  const clock = createVirtualClock();
  const uptime = (): number => clock.now();
  const { jobs, slots } = createMemoryLoops({ clock, uptime });
  const [id, told] = ["a@1", [] as News["type"][]];
  const weight = { memoryBytes: 0, cpus: 0 };
  const job = { id, lane: "default", caller: "a", loop: "a", run: jobRun(id), priority: 0, weight, paths: [] };
  await jobs.submit(job, clock.now());
  const fails = async (): Promise<never> => {
    throw error;
  };
  const worker = createWorker({
    ...{ jobs, slots, clock, uptime, fence: createFence(uptime), leaseMs: LEASE_MS, admission: FREE, by: "ann" },
    runtime: { compile: fails, start: fails, resume: fails, row: fails, evict: fails },
    loops: () => new Map(),
    tell: ({ type }) => void told.push(type),
    onFree: () => undefined,
  });
  await worker.once();
  await worker.stop();
  const { jobs: left } = await jobs.queue({ at: clock.now(), limit: 10 });
  return { told, left: left.map(({ id: name, state }) => `${name} ${state}`) };
}

describe("a run that could not be hosted", () => {
  const file = "loops.db";

  test("L7: is still due when what was in the way passes: nothing that fired is lost", async () => {
    const busy = pawlError(JOURNAL_ERRORS, "JOURNAL_BUSY", { file, writer: null });
    expect(await failing(busy)).toEqual({ told: ["run.began", "loop.failed"], left: ["a@1 queued"] });
  });

  test("keeps nobody from the next one when trying again would change nothing", async () => {
    const unknown = pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: "r_1" });
    expect(await failing(unknown)).toEqual({ told: ["run.began", "loop.failed"], left: [] });
  });
});
