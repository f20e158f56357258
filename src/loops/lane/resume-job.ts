/**
 * The job that resumes a run which was answered. Its name holds the place in the journal up to which the run was answered: every server that
 * sees the same answer submits the same job, and the next answer is another one.
 */
import type { RunId } from "../../base/ids.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import { NO_WEIGHT } from "../../limits/admission/admission.ts";
import type { Job, Submission } from "../../ports/loops/jobs.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import { jobRun } from "./job-run.ts";

/** Runs of no loop that pawl.yaml knows now share this lane. */
const LANE = "default";

type Answered = Pick<RunRow, "run" | "blueprint" | "events">;

export function resumeJobId({ run, events }: Pick<RunRow, "run" | "events">): string {
  return `${run}@answered:${events}`;
}

/** `loop`: what pawl.yaml says now of the loop that the run is of. `first`: the job that began the run. Either may not be there. */
export function resumeJob(row: Answered, loop: Loop | null, first: Job | null): Submission {
  const { run, blueprint } = row;
  const id = resumeJobId(row);
  if (loop !== null) {
    const { name, lane, priority, weight, paths } = loop;
    return { id, run, lane, caller: name, loop: name, priority, weight, paths };
  }
  if (first !== null) {
    const { lane, caller, loop: name, priority, weight, paths } = first;
    return { id, run, lane, caller, loop: name, priority, weight, paths };
  }
  return { id, run, lane: LANE, caller: blueprint, loop: blueprint, priority: 0, weight: NO_WEIGHT, paths: [] };
}

/** Every other job names its run. */
export function isResumeJob({ id, run }: { readonly id: string; readonly run: RunId }): boolean {
  return jobRun(id) !== run;
}
