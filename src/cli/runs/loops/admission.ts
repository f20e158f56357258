/** A run of a loop goes on only while nobody else works on its paths and it fits on the machine, whoever starts it. Others wait for nobody. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatRunId, type RunId } from "../../../base/ids.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { AdmissionWatch, RunAdmission } from "../../../runtime/resume/run-admission.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { loopGiven } from "../../input/find-blueprint.ts";
import type { Context } from "../../spec.ts";

/** For the run of a plan that starts. */
export async function admitToStart(context: Context, runtime: Runtime, { level }: Plan): Promise<RunAdmission> {
  const name = context.given.text("blueprint") ?? "";
  const mayHold = level >= "L2" && existsSync(join(context.root, "pawl.yaml"));
  const loop = (mayHold ? await loopGiven(context, runtime) : undefined) ?? null;
  const run = loop === null ? null : formatRunId((await import("node:crypto")).randomBytes(12));
  return runtime.admitToStart({ run, loop, level, name }, admissionWatch(context, runtime, run));
}

/** For a run that resumes. `of`: the run that it is forked from. */
export function admitToResume(context: Context, runtime: Runtime, run: RunId, of?: RunId): RunAdmission {
  return runtime.admitToResume({ run, of }, admissionWatch(context, runtime, run));
}

export function admissionWatch({ out }: Context, runtime: Runtime, run: RunId | null): AdmissionWatch {
  return {
    onWait(why, place) {
      out.note(place === "paths" ? `waiting: ${why}; Ctrl-C ends the wait` : `waiting for the machine: ${why}`);
    },
    onLost() {
      out.note(`its paths may be another loop's by now; go on later with: pawl resume ${run}`);
      void runtime.drain();
    },
  };
}

/** Does the work when the run is admitted; a signal ends the wait. */
export async function withAdmission(
  context: Context,
  admission: RunAdmission,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const waiting = new AbortController();
  const release = context.interrupts.handle(() => waiting.abort());
  if (!(await admission.enter(waiting.signal).finally(release))) return EXIT.interrupted;
  try {
    return await work();
  } finally {
    await admission.leave();
  }
}
