import { describe, expect, test } from "vitest";
import { createVirtualClock } from "../../../../test/support/virtual-clock.ts";
import { createMemoryLoops } from "../../../adapters/memory/loops/loop-store.ts";
import { pawlError } from "../../../base/errors.ts";
import { jobRun } from "../../../loops/lane/job-run.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Jobs } from "../../../ports/loops/jobs.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import type { News } from "../news.ts";
import type { Admission } from "./admission.ts";
import { createFence } from "./fence.ts";
import { createWorker } from "./worker.ts";

const LEASE_MS = 2000;
const FREE: Admission = {
  enter: async () => null,
  enterAgain: async () => null,
  renew: async () => true,
  leave: async () => undefined,
  close: async () => undefined,
};

const ROW = { status: "running" } as RunRow;
const BUSY = pawlError(JOURNAL_ERRORS, "JOURNAL_BUSY", { file: "loops.db", writer: null });

const weight = { memoryBytes: 0, cpus: 0 };
const JOB = { id: "a@1", lane: "default", caller: "a", loop: "a", run: jobRun("a@1"), priority: 0, weight, paths: [] };

/** One job, claimed so many times by a process in which looking at its run fails like this; `knows`: going on with it does. */
async function failing(error: Error, { times = 1, knows = false, spoil = (jobs: Jobs): Jobs => jobs } = {}) {
  const clock = createVirtualClock();
  const uptime = (): number => clock.now();
  const loops = createMemoryLoops({ clock, uptime });
  const [jobs, { slots, board }] = [spoil(loops.jobs), loops];
  const told: News["type"][] = [];
  await jobs.submit(JOB, clock.now());
  const fails = async (): Promise<never> => {
    throw error;
  };
  const worker = createWorker({
    ...{ jobs, slots, board, clock, uptime, fence: createFence(uptime), leaseMs: LEASE_MS, admission: FREE, by: "ann" },
    runtime: { compile: fails, start: fails, resume: fails, row: knows ? async () => ROW : fails, evict: fails },
    loops: () => new Map(),
    tell: ({ type }) => void told.push(type),
    onFree: () => undefined,
    onParked: () => undefined,
  });
  for (let time = 0; time < times; time += 1) await worker.once();
  await worker.stop();
  const { jobs: left } = await jobs.queue({ at: clock.now(), limit: 10 });
  return { told, left: left.map(({ id: name, state }) => `${name} ${state}`) };
}

describe("a run that could not be hosted", () => {
  test("L7: is still due when what was in the way passes: nothing that fired is lost", async () => {
    expect(await failing(BUSY)).toEqual({ told: ["run.began", "loop.failed"], left: ["a@1 queued"] });
  });

  test("keeps nobody from the next one when trying again would change nothing", async () => {
    const unknown = pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: "r_1" });
    expect(await failing(unknown)).toEqual({ told: ["run.began", "loop.failed"], left: [] });
  });

  test("L7: is looked at again when somebody hosts it who has no claim to it", async () => {
    const held = pawlError(RUN_ERRORS, "RUN_HELD", { run: "r_1", pid: 7, hostname: "vm", since: 0 });
    expect(await failing(held, { knows: true })).toEqual({ told: ["run.began", "run.lost"], left: ["a@1 queued"] });
  });

  test("L7: comes again when neither its end nor that it was given back could be stored", async () => {
    const unknown = pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: "r_1" });
    let asked = 0;
    const once = async <T>(work: () => Promise<T>): Promise<T> => {
      asked += 1;
      if (asked === 1) throw BUSY;
      return work();
    };
    const spoil = (jobs: Jobs): Jobs => ({
      ...jobs,
      finish: (...args) => once(() => jobs.finish(...args)),
      giveBack: (...args) => once(() => jobs.giveBack(...args)),
    });
    const told = ["run.began", "loop.failed", "serve.problem", "run.began", "loop.failed"];
    for (const [error, left] of [
      [unknown, []],
      [BUSY, ["a@1 queued"]],
    ] as const) {
      asked = 0;
      expect(await failing(error, { times: 2, spoil })).toEqual({ told, left });
    }
  });
});

test("L7: a claim is renewed three times in a lease, and ten times while the store cannot be written", async () => {
  const clock = createVirtualClock();
  const start = clock.now();
  const uptime = (): number => clock.now() - start;
  const { jobs, slots, board } = createMemoryLoops({ clock, uptime });
  await jobs.submit(JOB, clock.now());
  const asked: number[] = [];
  let end: (error: Error) => void = () => undefined;
  const hosting = async (): Promise<never> => new Promise<never>((_, reject) => (end = reject));
  const worker = createWorker({
    ...{ slots, board, clock, uptime, fence: createFence(uptime), leaseMs: LEASE_MS, admission: FREE, by: "ann" },
    jobs: {
      ...jobs,
      renew: async (...args) => {
        asked.push(uptime());
        if (uptime() > LEASE_MS && uptime() < 1.5 * LEASE_MS) throw BUSY;
        return jobs.renew(...args);
      },
    },
    runtime: { compile: hosting, start: hosting, resume: hosting, row: async () => ROW, evict: async () => true },
    loops: () => new Map(),
    tell: () => undefined,
    onFree: () => undefined,
    onParked: () => undefined,
  });
  await worker.start();
  while (uptime() < 2.5 * LEASE_MS) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance();
  }
  expect(asked.map((at) => Math.round(at / 100))).toEqual([7, 13, 20, 22, 24, 26, 28, 30, 37, 43]);
  end(BUSY);
  await worker.stop();
});
