/** Jobs that resume answered runs: they never take a run from its host, and what a person has decided since holds. */
import { expect, test } from "vitest";
import { createVirtualClock } from "../../../../test/support/virtual-clock.ts";
import { createMemoryLoops } from "../../../adapters/memory/loops/loop-store.ts";
import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { resumeJob } from "../../../loops/lane/resume-job.ts";
import { refusalOf } from "../../../loops/lane/resume-refusal.ts";
import { SANDBOX_ERRORS } from "../../../ports/errors/sandbox-errors.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import type { News } from "../news.ts";
import type { Admission } from "./admission.ts";
import { createFence } from "./fence.ts";
import { createWorker } from "./worker.ts";

const RUN = "r_1" as RunId;
const ROW = {
  run: RUN,
  blueprint: "fix",
  status: "waiting",
  reason: "awaiting_approval",
  events: 7,
  holder: null,
} as RunRow;
const HOLDER = { pid: 7, hostname: "vm", since: 0 };
const FREE: Admission = {
  enter: async () => "a job that resumes needs what its run was let in with",
  enterAgain: async () => null,
  renew: async () => true,
  leave: async () => undefined,
  close: async () => undefined,
};

/** The job of an answered run, claimed so many times while its run stands like this; `error`: resuming it fails. */
async function served(row: RunRow, { times = 1, error }: { readonly times?: number; readonly error?: Error } = {}) {
  const clock = createVirtualClock();
  const uptime = (): number => clock.now();
  const loops = createMemoryLoops({ clock, uptime });
  const { jobs, slots, board } = loops;
  await jobs.submit(resumeJob(ROW, null, null), clock.now());
  const told: News["type"][] = [];
  let resumed = 0;
  const fails = async (): Promise<never> => {
    throw new Error("an answered run is not begun anew");
  };
  const worker = createWorker({
    ...{ jobs, slots, board, clock, uptime, fence: createFence(uptime), leaseMs: 2000, admission: FREE, by: "ann" },
    runtime: {
      ...{ compile: fails, start: fails, evict: fails, row: async () => row },
      async resume() {
        resumed += 1;
        if (error !== undefined) throw error;
        const end = { status: "succeeded", reason: "reported" } as const;
        return { run: RUN, ended: Promise.resolve({ ...end, run: RUN } as never) };
      },
    },
    loops: () => new Map(),
    tell: ({ type }) => void told.push(type),
    onFree: () => told.push("loop.failed"),
    onParked: () => undefined,
  });
  for (let time = 0; time < times; time += 1) await worker.once();
  await worker.stop();
  const left = (await jobs.queue({ at: clock.now(), limit: 10 })).jobs.map(({ state }) => state);
  return { told, left, resumed, refusal: await refusalOf(board, ROW) };
}

test("an answered run resumes, and its job is over", async () => {
  expect(await served(ROW)).toEqual({ told: ["run.began", "run.ended"], left: [], resumed: 1, refusal: null });
});

test("a run that somebody else hosts, has hosted since, or has paused, is left alone", async () => {
  for (const status of ["running", "paused", "succeeded"] as const) {
    expect(await served({ ...ROW, status })).toMatchObject({ left: [], resumed: 0, refusal: null });
    expect(await served({ ...ROW, status, holder: HOLDER })).toMatchObject({ left: [], resumed: 0, refusal: null });
  }
});

test("a run that cannot resume here is told once, and why is kept", async () => {
  const error = pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing: "no bwrap", hint: "" });
  const { told, left, resumed, refusal } = await served(ROW, { times: 3, error });
  expect([told, left, resumed]).toEqual([["run.began", "run.refused"], [], 1]);
  expect(refusal).toMatchObject({ events: 7, code: "SANDBOX_UNAVAILABLE" });
});

test("one that needs another answer waits for that, and one that is held for a moment is tried again", async () => {
  const needed = { run: RUN, stage: "ask", id: "1", why: "Fine?", answers: ["approve"] };
  const error = pawlError(RUN_ERRORS, "RUN_ANSWER_NEEDED", needed);
  expect(await served(ROW, { error })).toMatchObject({ left: [], refusal: null });
  const held = pawlError(RUN_ERRORS, "RUN_HELD", { run: RUN, ...HOLDER });
  expect(await served(ROW, { error: held })).toMatchObject({ told: ["run.began"], left: ["queued"], refusal: null });
});
