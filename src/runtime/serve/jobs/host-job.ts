/** One job: its run is begun, or gone on with, and hosted here until it ends, rests, or belongs to another. */
import { isPawlError, pawlError } from "../../../base/errors.ts";
import { isResumeJob } from "../../../loops/lane/resume-job.ts";
import type { Hosted, HostedEnd } from "../../../ports/engine.ts";
import type { Job } from "../../../ports/loops/jobs.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import { isTerminal } from "../../../run/reasons.ts";
import { loopOptions } from "../../loops/loop-options.ts";
import type { Runtime } from "../../runtime.ts";
import { problemsError } from "../problem.ts";
import type { ServedLoop } from "../served-loop.ts";

export interface HostParts {
  readonly runtime: Pick<Runtime, "compile" | "start" | "resume" | "row">;
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
  /** Keeps the claim of a job; false: it is another's. */
  readonly renew: () => Promise<boolean>;
  readonly by: string;
}

export type JobEnd =
  | { readonly kind: "ended"; readonly status: string; readonly reason: string | null; readonly isParked: boolean }
  /** This process is going away: the run can be resumed. */
  | { readonly kind: "drained" }
  | { readonly kind: "lost" };

const ANSWERED: ReadonlySet<string> = new Set(["RUN_ANSWER_NEEDED", "RUN_NOT_DUE", "RUN_ENDED"]);

/** Rejects when the run cannot begin. */
export async function hostJob(parts: HostParts, job: Job): Promise<JobEnd> {
  for (;;) {
    const row = await parts.runtime.row(job.run);
    // A person who has paused it since resumes it too.
    if (row !== undefined && (isTerminal(row.status) || row.status === "paused")) return endOfRow(row);
    const end = await hostOnce(parts, job, row);
    if (end.kind !== "late") return end;
    // It stood still. If nobody was quicker, it goes on with what is stored.
    if (!(await parts.renew())) return { kind: "lost" };
  }
}

async function hostOnce(
  parts: HostParts,
  job: Job,
  row: RunRow | undefined,
): Promise<JobEnd | { readonly kind: "late" }> {
  const { runtime, by } = parts;
  try {
    const handle = row === undefined ? await begin(parts, job) : await runtime.resume(job.run, { by });
    return endOf(await handle.ended);
  } catch (error) {
    const code = isPawlError(error) ? error.code : "";
    if (code === "SERVE_CLAIM_LATE") return { kind: "late" };
    if (code === "RUN_LOST" || code === "RUN_HELD") return { kind: "lost" };
    // Somebody has to answer first: that is a rest like any other.
    if (row !== undefined && ANSWERED.has(code)) return endOfRow(row);
    throw error;
  }
}

/** What is written of the loop now counts: it may have changed since the job was queued. */
async function begin({ runtime, loops }: HostParts, job: Job): Promise<Hosted> {
  if (isResumeJob(job)) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: job.run });
  const served = loops().get(job.loop);
  if (served === undefined) throw new Error(`no loop is named ${job.loop} any more`);
  const { plan } = await runtime.compile(served.loop.source, loopOptions(served.loop));
  if (!plan.ok) throw problemsError(plan.problems);
  // Nobody watches: what has no wall around it does not begin.
  return runtime.start(plan.value, { run: job.run, danger: false });
}

function endOf({ status, reason }: HostedEnd): JobEnd {
  if (status === "running") return { kind: "drained" };
  return { kind: "ended", status, reason, isParked: isParked(reason) };
}

function endOfRow({ status, reason }: RunRow): JobEnd {
  return { kind: "ended", status, reason, isParked: isParked(reason) };
}

function isParked(reason: string | null): boolean {
  return reason === "awaiting_quota" || reason === "awaiting_budget";
}
