/** How a run that rests goes on: answers, what is due, and a person who resumes it. The lease lets one of them through. */
import { isPawlError, type PawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { ResumeOptions } from "../../ports/engine.ts";
import { type Answer, answerFacts, resumeFacts, type Taken, tendFacts } from "../../run/approval/answer.ts";
import { approvalsOf } from "../../run/approval/approvals.ts";
import { runOfId } from "../../run/approval/question.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { RunState } from "../../run/state.ts";
import { type HostedRun, type Hosting, takeOver } from "./hosting.ts";
import { killRun, requireReleased } from "./killing.ts";
import { eachOpenChild } from "./open-children.ts";
import { readAll } from "./restore.ts";

export async function resumeRun(hosting: Hosting, run: RunId, options: ResumeOptions): Promise<HostedRun> {
  // Whoever hosted it when it was killed did not live to record that.
  const pulled = hosting.killSwitch.pulled(run);
  if (pulled?.scope === run) await killRun(hosting, run, pulled);
  requireReleased(hosting, run);
  // Who does not want to wait for a run does not want to wait for the runs that it waits for.
  if (options.early === true) await wakeChildren(hosting, run, options);
  let taken: Taken = { facts: [], refusal: null };
  const handle = await toldOfQuestion(hosting, run, options, () =>
    takeOver(hosting, run, ({ plan, state }) => {
      taken = resumeFacts(plan, state, options, timeOf(hosting, state));
      return taken.facts;
    }),
  );
  if (taken.refusal === null) return handle;
  await handle.ended;
  throw taken.refusal;
}

/** What became of the question that was answered says more than that the run could not take the answer. */
async function toldOfQuestion<T>(
  hosting: Hosting,
  run: RunId,
  { answer }: Pick<ResumeOptions, "answer">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const id = typeof answer === "object" ? answer.id : null;
    throw (id === null ? null : await closedError(hosting, run, id, error)) ?? error;
  }
}

async function wakeChildren(hosting: Hosting, run: RunId, { by }: ResumeOptions): Promise<void> {
  await eachOpenChild(hosting, run, async ({ run: child, reason, holder }) => {
    const isParked = reason === "awaiting_quota" || reason === "awaiting_budget";
    if (isParked && holder === null) await resumeRun(hosting, child, { by, early: true });
  });
}

export async function answerRun(hosting: Hosting, run: RunId, answer: Answer & { readonly id: string }): Promise<void> {
  let refusal: PawlError | null = null;
  await toldOfQuestion(hosting, run, { answer }, async () => {
    const { ended } = await takeOver(hosting, run, ({ plan, state }) => {
      const taken = answerFacts(plan, state, answer, timeOf(hosting, state));
      refusal = taken.refusal;
      return taken.facts;
    });
    await ended;
  });
  if (refusal !== null) throw refusal;
}

const SAYS_LITTLE: ReadonlySet<string> = new Set(["RUN_ENDED", "RUN_HELD", "RUN_LOST", "RUN_APPROVAL_NOT_FOUND"]);

async function closedError(hosting: Hosting, run: RunId, id: string, error: unknown): Promise<PawlError | null> {
  if (!isPawlError(error) || !SAYS_LITTLE.has(error.code)) return null;
  const found = approvalsOf(await readAll(hosting.ports.journal, run)).findLast((each) => each.id === id);
  if (found === undefined) {
    return run.startsWith(runOfId(id)) ? null : pawlError(RUN_ERRORS, "RUN_APPROVAL_OTHER_RUN", { id, run });
  }
  if (found.status === "pending") return null;
  if (found.status === "expired") return pawlError(RUN_ERRORS, "RUN_APPROVAL_EXPIRED", { id, run });
  if (found.answer === null) return pawlError(RUN_ERRORS, "RUN_APPROVAL_CANCELLED", { id });
  return pawlError(RUN_ERRORS, "RUN_APPROVAL_USED", { id, answer: found.answer.answer, by: found.answer.by });
}

export async function tendRun(hosting: Hosting, run: RunId): Promise<void> {
  const { ended } = await takeOver(hosting, run, ({ plan, state }) => tendFacts(plan, state, timeOf(hosting, state)));
  await ended;
}

/** A clock that was put back gives no question its time back. */
function timeOf({ ports }: Hosting, { facts }: RunState): number {
  return Math.max(facts.at, ports.clock.now());
}
