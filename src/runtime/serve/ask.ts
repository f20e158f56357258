/** A person asks for a run of a loop, and does not wait: it is queued for whoever serves. There is no second run of the loop beside an open one. */
import { formatRunId } from "../../base/ids.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Job, Submitted } from "../../ports/loops/jobs.ts";
import type { LoopStore } from "../../ports/loops/loop-store.ts";
import { askedSlot } from "../../ports/loops/slots.ts";
import { createLoopReader, submissionOf } from "./served-loop.ts";

export interface QueueParts {
  readonly clock: Pick<Clock, "now">;
  openLoops(): Promise<LoopStore>;
  randomBytes(count: number): Uint8Array;
}

/** Queues a run of a loop for whoever serves the project. */
export async function queueRun({ clock, openLoops, randomBytes }: QueueParts, loop: Loop): Promise<AskedRun> {
  const loops = await openLoops();
  try {
    return await askForRun(loops, loop, formatRunId(randomBytes(12)).slice(2), clock.now());
  } finally {
    await loops.close();
  }
}

export interface AskedRun extends Pick<Job, "id" | "run" | "loop" | "lane">, Pick<Submitted, "position"> {}

/** `name` is new, and names the job for ever. A crash on the way leaves an open slot that whoever serves submits. */
export async function askForRun(
  { slots, jobs }: Pick<LoopStore, "slots" | "jobs">,
  loop: Loop,
  name: string,
  at: number,
): Promise<AskedRun> {
  const { times, trigger } = createLoopReader()(loop);
  const next = times === null ? null : times.first(loop.name, at);
  if ((await slots.standing(loop.name)) === null) await slots.arm({ loop: loop.name, was: null, next, trigger, at });
  const slot = askedSlot(name);
  await slots.deliver({ loop: loop.name, slot, at });
  const job = submissionOf(loop, slot);
  const { position } = await jobs.submit(job, at);
  await slots.submitted(loop.name, slot);
  return { id: job.id, run: job.run, loop: loop.name, lane: loop.lane, position };
}
