/** From a slot that has fired to a job in a lane. A crash between the two leaves a slot that is open and not submitted: it is found again. */
import type { RunId } from "../../base/ids.ts";
import { jobRun } from "../../loops/lane/job-run.ts";
import type { Jobs } from "../../ports/loops/jobs.ts";
import { isAsked, type Slots, type Standing } from "../../ports/loops/slots.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { Tell } from "./news.ts";
import { jobId, type ServedLoop, submissionOf } from "./served-loop.ts";

export interface FiringParts {
  readonly slots: Slots;
  readonly jobs: Pick<Jobs, "submit" | "get">;
  readonly now: () => number;
  readonly tell: Tell;
  /** undefined: there is no such run. */
  readonly row: (run: RunId) => Promise<RunRow | undefined>;
  /** A job was submitted. */
  readonly onSubmitted: () => void;
}

export interface Firing {
  submit(served: ServedLoop, slot: string): Promise<void>;
  /** Something happened: its name is what it is deduplicated by. false: it is known. */
  deliver(served: ServedLoop, slot: string): Promise<boolean>;
  /** Whether the loop may run: no run of it is open. Submits what was fired and never submitted, and takes what waits. */
  isFree(served: ServedLoop, standing: Standing): Promise<boolean>;
}

export function createFiring({ slots, jobs, now, tell, row, onSubmitted }: FiringParts): Firing {
  async function submit({ loop }: ServedLoop, slot: string): Promise<void> {
    await jobs.submit(submissionOf(loop, slot), now());
    await slots.submitted(loop.name, slot);
    onSubmitted();
  }

  async function begin(served: ServedLoop, slot: string): Promise<void> {
    const { name } = served.loop;
    await submit(served, slot);
    tell({ type: "slot.fired", loop: name, slot, run: jobRun(jobId(name, slot)) });
  }

  /** The run of a slot is over, or waits for a person: then others may go on. */
  async function isOver(loop: string, slot: string): Promise<boolean> {
    const job = await jobs.get(jobId(loop, slot));
    if (job === null || job.state === "queued" || job.state === "running") return false;
    const run = await row(job.run);
    if (run === undefined || isTerminal(run.status) || run.status === "paused") return true;
    return run.status === "waiting" && run.reason === "awaiting_approval";
  }

  /** Begins what has waited; true: there is nothing. */
  async function takeNext(served: ServedLoop): Promise<boolean> {
    const { name, catchUp } = served.loop;
    const next = await slots.takeWaiting(name, catchUp === "all" ? "oldest" : "newest");
    if (next === null) return true;
    if (catchUp === "skip" && !isAsked(next.slot)) {
      // It came while a run was open, and nobody wants it any more.
      await slots.over(name, next.slot);
      return true;
    }
    await begin(served, next.slot);
    return false;
  }

  return {
    submit: begin,
    async deliver(served, slot) {
      const { name, catchUp } = served.loop;
      const delivered = await slots.deliver({ loop: name, slot, at: now() });
      if (delivered === "fired") await begin(served, slot);
      if (delivered === "waiting" && catchUp !== "skip") tell({ type: "slot.waiting", loop: name, slot });
      return delivered !== "known";
    },
    async isFree(served, { open }) {
      const { name } = served.loop;
      if (open !== null && !open.isSubmitted) await submit(served, open.slot);
      if (open !== null && !(await isOver(name, open.slot))) return false;
      if (open !== null) await slots.over(name, open.slot);
      return takeNext(served);
    },
  };
}
