/**
 * Answered runs: submits a job for each run that can continue because of an answer, whoever gave it and in which process. The worker then
 * hosts it like any other job, so that its lane, its paths and the machine are respected, one server has it, and another one takes over when
 * that is killed.
 */
import type { RunId } from "../../../base/ids.ts";
import { resumeJob } from "../../../loops/lane/resume-job.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Jobs } from "../../../ports/loops/jobs.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import type { Runtime } from "../../runtime.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import type { ServedLoop } from "../served-loop.ts";
import type { Duty } from "./duty.ts";

export interface AnsweredParts {
  readonly runtime: Pick<Runtime, "answered" | "onWaiting" | "loopOf">;
  readonly jobs: Pick<Jobs, "submit" | "ofRun">;
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
  readonly clock: Clock;
  readonly tell: Tell;
  /** A job was submitted. */
  readonly onSubmitted: () => void;
}

/** An answer is noticed at once; this is for what nobody told us of. */
const EVERY_MS = 15_000;

export function createAnsweredDuty(parts: AnsweredParts): Duty {
  const { runtime, clock, tell, onSubmitted } = parts;
  /** The newest event of each answered run that has its job. */
  let submitted: ReadonlyMap<RunId, number> = new Map();
  let looking: Promise<boolean> | null = null;
  let again = false;
  let stopped = false;
  let cancel = (): void => undefined;
  let unwatch = (): void => undefined;

  /** Resolves to whether anything was submitted. */
  async function look(): Promise<boolean> {
    let any = false;
    while (again && !stopped) {
      again = false;
      const found = await runtime.answered();
      for (const row of found) {
        if (submitted.get(row.run) === row.events || !(await submit(parts, row))) continue;
        any = true;
        onSubmitted();
      }
      submitted = new Map(found.map(({ run, events }) => [run, events]));
    }
    return any;
  }

  function work(): Promise<boolean> {
    again = true;
    looking ??= look()
      .catch((error: unknown) => {
        tell({ type: "serve.problem", ...problemOf(error) });
        return false;
      })
      .finally(() => {
        looking = null;
        cancel();
        if (stopped) return;
        // It was asked for while the look before ended: that look did not see it.
        if (again) void work();
        else cancel = clock.after(EVERY_MS, () => void work());
      });
    return looking;
  }

  return {
    name: "answered",
    async start() {
      unwatch = await runtime.onWaiting(() => void work());
      await work();
    },
    once: work,
    async stop() {
      stopped = true;
      unwatch();
      cancel();
      await looking;
    },
  };
}

/** false: another server was quicker. */
async function submit({ runtime, jobs, loops, clock, tell }: AnsweredParts, row: RunRow): Promise<boolean> {
  const first = await jobs.ofRun(row.run);
  const name = (await runtime.loopOf(row.run)) ?? first?.loop ?? row.blueprint;
  const job = resumeJob(row, loops().get(name)?.loop ?? null, first);
  const { isNew } = await jobs.submit(job, clock.now());
  if (isNew) tell({ type: "run.answered", loop: job.loop, run: row.run });
  return isNew;
}
