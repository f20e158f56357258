/**
 * An answer, and the run that resumes with it. Both are one takeover of the run where nothing is in its way; otherwise the answer is stored
 * first, so that nobody can lose it while the run waits for its paths.
 */
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Engine, Hosted, NamedAnswer } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import { type Approval, approvalsOf } from "../../run/approval/approvals.ts";
import type { StoredEvent } from "../../run/events.ts";
import { isTerminal } from "../../run/reasons.ts";
import { readStored } from "../past.ts";
import { type FoundApproval, rootOf } from "../trust/find-approvals.ts";
import type { AdmissionWatch, RunAdmission } from "./run-admission.ts";
import { whenFree } from "./when-free.ts";

export interface ResumeWatch extends Omit<AdmissionWatch, "onLost"> {
  /** Ends the wait for paths and for the machine; the answer is stored by then. */
  readonly signal: AbortSignal;
  /** The answer is stored. */
  onAnswered(approval: Approval): void;
  onLost(run: RunId): void;
}

export interface ResumedRun {
  /** The run that resumes: the one that asked, or the one that started it. */
  readonly run: RunId;
  /** Its journal before the answer. */
  readonly before: readonly StoredEvent[];
  /** null: the answer ended the run, another process hosts it, or the wait was ended. */
  readonly hosted: Hosted | null;
  /** What the run holds meanwhile, to be left when it is no longer hosted. */
  readonly admission: RunAdmission;
}

export interface AnswerParts {
  readonly store: Store;
  readonly engine: Engine;
  /** Rejects where the run must not resume in this process. */
  requireAllowed(run: RunId): Promise<void>;
  admission(run: RunId, watch: ResumeWatch): RunAdmission;
}

interface Answering extends AnswerParts {
  readonly found: FoundApproval;
  readonly answer: NamedAnswer;
  readonly by: string;
  readonly watch: ResumeWatch;
}

const NOT_OURS: ReadonlySet<string> = new Set(["RUN_HELD", "RUN_ENDED"]);

export async function answerAndResume(answering: Answering): Promise<ResumedRun> {
  const { store, found, watch } = answering;
  const asking = found.approval.run as RunId;
  const run = await rootOf(store, asking);
  const before = run === asking ? found.stored : await readStored(store, run);
  const admission = answering.admission(run, watch);
  try {
    const hosted = await resumed(answering, run, admission);
    if (hosted === null) await admission.leave();
    return { run, before, hosted, admission };
  } catch (error) {
    await admission.leave();
    throw error;
  }
}

async function resumed(answering: Answering, run: RunId, admission: RunAdmission): Promise<Hosted | null> {
  const { store, engine, found, answer, by, watch } = answering;
  const asking = found.approval.run as RunId;
  let refusal: unknown = await answering.requireAllowed(run).catch((error: unknown) => error);
  if (run === asking && refusal === undefined && (await admission.tryEnter())) {
    try {
      const hosted = await whenFree(store.runs, run, () => engine.resume(run, { by, answer }));
      await isStored(store, found, hosted);
      watch.onAnswered(await asItStands(store, found));
      return hosted;
    } catch (error) {
      // It may not resume, and a person has answered all the same.
      if (!isPawlError(error) || error.code !== "RUN_KILL_SWITCH") throw error;
      refusal = error;
    }
  }
  await whenFree(store.runs, asking, () => engine.answer(asking, { ...answer, by }));
  watch.onAnswered(await asItStands(store, found));
  const row = await store.runs.get(run);
  if (row === undefined || isTerminal(row.status)) return null;
  if (refusal !== undefined) throw refusal;
  return (await admission.enter(watch.signal)) ? resumeUnlessTaken(answering, run) : null;
}

/** A server may take up the answered run while this process waits for its paths. */
async function resumeUnlessTaken({ store, engine, by }: Answering, run: RunId): Promise<Hosted | null> {
  try {
    return await whenFree(store.runs, run, () => engine.resume(run, { by }));
  } catch (error) {
    if (isPawlError(error) && NOT_OURS.has(error.code)) return null;
    throw error;
  }
}

/** A run is hosted a moment before its answer is durable. If that fails, its host says so. */
async function isStored(
  { journal }: Store,
  { approval, stored }: FoundApproval,
  { run, ended }: Hosted,
): Promise<void> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  ended.then(stop, stop);
  for await (const { event } of journal.follow(run, stored.at(-1)?.seq ?? 0, over.signal))
    if (event.type === "approval.answered" && event.id === approval.id) return;
}

/** The question as it stands now. Only what was stored since it was found is read. */
export async function asItStands(store: Store, { approval, stored }: FoundApproval): Promise<Approval> {
  const since = await readStored(store, approval.run as RunId, stored.at(-1)?.seq ?? 0);
  const all = approvalsOf([...stored, ...since].map(({ event }) => event));
  return all.findLast(({ id }) => id === approval.id) ?? approval;
}
