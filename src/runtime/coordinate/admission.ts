/** Whether a job may begin beside what runs already: asked of the coordinator by whoever has claimed it, kept while its run is hosted. */
import type { RunId } from "../../base/ids.ts";
import type { Coordinator } from "../../loops/coordinate/coordinator.ts";
import { holdText, type StartAsk } from "../../loops/coordinate/hold.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Job } from "../../ports/loops/jobs.ts";

/** What is written of the loop. */
export type Wanted = Pick<StartAsk, "level" | "priority" | "paths" | "maxOpen">;

interface Claimed {
  readonly job: Pick<Job, "loop" | "run">;
}

export interface JobAdmission {
  /** What it took is given back with `leave`; a text: why it must wait. */
  enter(claim: Claimed, served: { readonly loop: Wanted }): Promise<string | null>;
  /** false: its paths are another's, and it must not go on. */
  renew(claim: Claimed): Promise<boolean>;
  leave(claim: Claimed): Promise<void>;
  /** It waits no more: whoever is behind it need not wait for it. */
  giveUp(claim: Claimed): Promise<void>;
  /** The loop whose run this is, of those that have entered here; null: none. */
  loopOf(run: RunId): string | null;
}

/** `settle`: what becomes of a run that its host has let go. */
export function createJobAdmission(
  coordinator: Coordinator,
  clock: Pick<Clock, "now">,
  settle: (job: Claimed["job"]) => Promise<void>,
): JobAdmission {
  const tokens = new Map<RunId, number>();
  const loops = new Map<RunId, string>();
  return {
    async enter({ job }, { loop }) {
      const { level, priority, paths, maxOpen } = loop;
      const answer = await coordinator.mayStart(
        { id: job.run, loop: job.loop, level, priority, paths, maxOpen },
        clock.now(),
      );
      if (!answer.start) return holdText(answer.hold);
      tokens.set(job.run, answer.token);
      loops.set(job.run, job.loop);
      return null;
    },
    renew: ({ job }) => coordinator.renew(job.run, tokens.get(job.run) ?? 0, clock.now()),
    async leave({ job }) {
      const token = tokens.get(job.run);
      tokens.delete(job.run);
      if (token === undefined) return;
      loops.delete(job.run);
      await coordinator.release(job.run, token);
      await settle(job);
    },
    giveUp: ({ job }) => coordinator.release(job.run, 0),
    loopOf: (run) => loops.get(run) ?? null,
  };
}
