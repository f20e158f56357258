/** Approvals over all runs: what is asked, what it is about, and the way an answer takes. For the command line, a dashboard, a notifier. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { MOST_SHOWN_BYTES, type ShownChange, shownChange } from "../../gates/shown/shown-change.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { WaitingPage, WaitingRun } from "../../ports/store/waiting-runs.ts";
import type { Trees } from "../../ports/trees.ts";
import type { Answer } from "../../run/approval/answer.ts";
import type { Approval } from "../../run/approval/approvals.ts";
import { type Decision, readDecisions, type UnclearDecision } from "../../run/approval/decisions.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { OpenQuestion } from "../../run/record/waiting.ts";
import { readStored } from "../past.ts";
import {
  type AnswerParts,
  answerAndResume,
  asItStands,
  type ResumedRun,
  type ResumeWatch,
} from "../resume/answer-and-resume.ts";
import { whenFree } from "../resume/when-free.ts";
import {
  type ApprovalPage,
  type ApprovalQuery,
  type FoundApproval,
  findApproval,
  listApprovals,
  rootOf,
} from "./find-approvals.ts";

/** A question with everything that changes if it is allowed. */
export interface ApprovalDetail {
  readonly approval: Approval;
  /** null: no tree is part of it, or it is as it was when the run began. */
  readonly change: ShownChange | null;
}

export type AnswerOptions = Omit<Answer, "id">;

export interface AnswerReport {
  /** As it stands now. */
  readonly approval: Approval;
  /** The run to go on with: the one that asked, or the one that started it. */
  readonly goOn: RunId;
  /** Journal of that run, with the answer if it is its own. */
  readonly journal: readonly StoredEvent[];
}

export interface DecisionReport {
  readonly answered: readonly (Decision & { readonly run: string })[];
  readonly unclear: readonly UnclearDecision[];
  /** Decisions that were clear and could not be taken. */
  readonly refused: readonly (Decision & { readonly code: string; readonly what: string })[];
}

export interface SweptApprovals {
  readonly expired: readonly string[];
  readonly reminded: readonly string[];
  /** Runs of which nothing could be recorded; the questions of all others were seen to. */
  readonly failed: readonly { readonly run: RunId; readonly code: string | null; readonly what: string }[];
}

export interface ApprovalActions {
  approvals(query: ApprovalQuery): Promise<ApprovalPage>;
  /** By its id or a unique beginning of it. Rejects with RUN_APPROVAL_NOT_FOUND or RUN_APPROVAL_AMBIGUOUS. */
  approval(id: string): Promise<ApprovalDetail>;
  /**
   * Records an answer, durably. The run rests on until it is resumed, unless the answer ends it. Rejects with RUN_APPROVAL_*,
   * RUN_ANSWER_UNKNOWN, and RUN_HELD while its host is still at work.
   */
  answer(id: string, answer: AnswerOptions): Promise<AnswerReport>;
  /**
   * Records an answer, and resumes the run here: in one step where nothing is in its way, else when its paths and the machine are free.
   * Rejects as `answer` and `resume` do; what was answered by then stays answered.
   */
  answerAndResume(id: string, answer: AnswerOptions, watch: ResumeWatch): Promise<ResumedRun>;
  /** Answers by the decisions in a STATE.md; nothing else in the text means anything. */
  answerFrom(text: string, by: string): Promise<DecisionReport>;
  /**
   * Records what is due of the questions of all runs that wait; see `Engine.tend`. Reads nothing when nothing is due, and one run that
   * cannot be read keeps no other waiting.
   */
  sweepApprovals(): Promise<SweptApprovals>;
  /** Whether `sweepApprovals` would have something to record. */
  hasDueApprovals(): Promise<boolean>;
}

export interface ApprovalParts extends Pick<AnswerParts, "requireAllowed" | "admission"> {
  readonly trees: Pick<Trees, "diff">;
  readonly clock: Clock;
  /** An answer was recorded here, or what was due. */
  onAnswered(): void;
}

type Open = () => Promise<{ readonly store: Store; readonly engine: Engine }>;

/** `hasState`: a project without state asks nothing, and looking creates none. */
export function createApprovals(parts: ApprovalParts, open: Open, hasState: () => boolean): ApprovalActions {
  const detailOf = async (approval: Approval): Promise<ApprovalDetail> => {
    const { base, commit, kind } = approval;
    if (kind === "interrupted" || base === null || commit === null || base === commit)
      return { approval, change: null };
    const diff = await parts.trees.diff(base, commit, MOST_SHOWN_BYTES + 1);
    return { approval, change: diff.files.length === 0 ? null : shownChange(diff) };
  };

  async function find(id: string): Promise<FoundApproval> {
    if (!hasState()) throw pawlError(RUN_ERRORS, "RUN_APPROVAL_NOT_FOUND", { id });
    return findApproval((await open()).store, id);
  }

  /** The question that an answer is for. What cannot be shown in full is allowed by nobody. */
  async function answerable(id: string, options: AnswerOptions): Promise<FoundApproval> {
    const found = await find(id);
    const { approval } = found;
    const isAllowing = options.answer === "approve" || options.answer === "approve_run";
    if (!isAllowing || approval.status !== "pending") return found;
    const { change } = await detailOf(approval);
    if (change?.complete === false)
      throw pawlError(RUN_ERRORS, "RUN_APPROVAL_UNSHOWN", { id: approval.id, reasons: change.reasons });
    return found;
  }

  async function answer(id: string, options: AnswerOptions): Promise<AnswerReport> {
    const found = await answerable(id, options);
    const { store, engine } = await open();
    const run = found.approval.run as RunId;
    // What was shown is what is answered, whatever has become of the question meanwhile.
    const named = { digest: found.approval.digest, ...options, id: found.approval.id };
    await whenFree(store.runs, run, () => engine.answer(run, named));
    parts.onAnswered();
    const goOn = await rootOf(store, run);
    const before = goOn === run ? found.stored : [];
    const journal = [...before, ...(await readStored(store, goOn, before.length))];
    return { approval: await asItStands(store, found), goOn, journal };
  }

  return {
    async approvals(query) {
      return hasState() ? listApprovals((await open()).store, query) : { approvals: [], next: null };
    },
    approval: async (id) => detailOf((await find(id)).approval),
    answer,
    async answerAndResume(id, { by, ...options }, watch) {
      const found = await answerable(id, { by, ...options });
      const answer = { digest: found.approval.digest, ...options, id: found.approval.id };
      return answerAndResume({ ...parts, ...(await open()), found, answer, by, watch });
    },
    async hasDueApprovals() {
      if (!hasState()) return false;
      const { store } = await open();
      return (await store.waiting.due({ by: parts.clock.now(), limit: 1 })).runs.length > 0;
    },
    answerFrom: (text, by) => answerDecisions(text, by, answer),
    async sweepApprovals() {
      if (!hasState()) return { expired: [], reminded: [], failed: [] };
      const { store, engine } = await open();
      const swept = await sweep(store, engine, parts.clock.now());
      if (swept.expired.length > 0) parts.onAnswered();
      return swept;
    },
  };
}

type Failed = SweptApprovals["failed"][number];

const NOT_OURS: ReadonlySet<string> = new Set(["RUN_HELD", "RUN_ENDED", "RUN_LOST"]);

async function sweep(store: Store, engine: Engine, now: number): Promise<SweptApprovals> {
  const swept = { expired: [] as string[], reminded: [] as string[], failed: [] as Failed[] };
  for await (const { run, questions } of dueRuns(store, now)) {
    const failed = await tend(engine, run);
    if (failed !== null) {
      swept.failed.push(failed);
      continue;
    }
    for (const question of questions) {
      if (isOver(question, now)) swept.expired.push(question.id);
      else if (isToRemind(question, now)) swept.reminded.push(question.id);
    }
  }
  return swept;
}

/** null: it is done, its host sees to it, or it is over. Rejects where the store refuses, because it would refuse every other run too. */
async function tend(engine: Engine, run: RunId): Promise<Failed | null> {
  try {
    await engine.tend(run);
    return null;
  } catch (error) {
    const code = isPawlError(error) ? error.code : null;
    if (code?.startsWith("JOURNAL_")) throw error;
    if (code !== null && NOT_OURS.has(code)) return null;
    return { run, code, what: error instanceof Error ? error.message : String(error) };
  }
}

const PAGE = 100;

/** Runs with a question of which something is due, and no others. */
async function* dueRuns({ waiting }: Pick<Store, "waiting">, by: number): AsyncIterable<WaitingRun> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { by, limit: PAGE };
    const page: WaitingPage = await waiting.due(cursor === "" ? query : { ...query, cursor });
    yield* page.runs;
    cursor = page.next;
  }
}

function isOver({ expiresAt }: OpenQuestion, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

function isToRemind({ remindAt, remindedAt }: OpenQuestion, now: number): boolean {
  return remindAt !== null && remindedAt === null && now >= remindAt;
}

async function answerDecisions(text: string, by: string, answer: ApprovalActions["answer"]): Promise<DecisionReport> {
  const { decisions, unclear } = readDecisions(text);
  const answered: DecisionReport["answered"][number][] = [];
  const refused: DecisionReport["refused"][number][] = [];
  for (const decision of decisions) {
    try {
      const why = decision.why ?? undefined;
      const report = await answer(decision.id, { answer: decision.answer, by, why });
      answered.push({ ...decision, run: report.approval.run });
    } catch (error) {
      if (!isPawlError(error)) throw error;
      refused.push({ ...decision, code: error.code, what: error.message });
    }
  }
  return { answered, unclear, refused };
}
