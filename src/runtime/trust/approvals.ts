/** Approvals over all runs: what is asked, what it is about, and the way an answer takes. For the command line, a dashboard, a notifier. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { MOST_SHOWN_BYTES, type ShownChange, shownChange } from "../../gates/shown/shown-change.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Trees } from "../../ports/trees.ts";
import type { Answer } from "../../run/approval/answer.ts";
import { type Approval, approvalsOf } from "../../run/approval/approvals.ts";
import { type Decision, readDecisions, type UnclearDecision } from "../../run/approval/decisions.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { readEvents } from "../past.ts";
import {
  type ApprovalPage,
  type ApprovalQuery,
  findApproval,
  listApprovals,
  openApprovals,
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
  /** Answers by the decisions in a STATE.md; nothing else in the text means anything. */
  answerFrom(text: string, by: string): Promise<DecisionReport>;
  /** Records what is due of the questions of all runs that wait; see `Engine.tend`. */
  sweepApprovals(): Promise<SweptApprovals>;
}

export interface ApprovalParts {
  readonly trees: Pick<Trees, "diff">;
  readonly clock: Clock;
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

  async function approval(id: string): Promise<ApprovalDetail> {
    if (!hasState()) throw pawlError(RUN_ERRORS, "RUN_APPROVAL_NOT_FOUND", { id });
    return detailOf(await findApproval((await open()).store, id));
  }

  async function answer(id: string, options: AnswerOptions): Promise<AnswerReport> {
    const { approval: found, change } = await approval(id);
    const { store, engine } = await open();
    const isAllowing = options.answer === "approve" || options.answer === "approve_run";
    if (isAllowing && found.status === "pending" && change?.complete === false)
      throw pawlError(RUN_ERRORS, "RUN_APPROVAL_UNSHOWN", { id: found.id, reasons: change.reasons });
    const run = found.run as RunId;
    // What was shown is what is answered, whatever has become of the question meanwhile.
    await engine.answer(run, { digest: found.digest, ...options, id: found.id });
    const after = approvalsOf(await readEvents(store, run)).findLast((each) => each.id === found.id);
    return { approval: after ?? found, goOn: await rootOf(store, run) };
  }

  return {
    async approvals(query) {
      return hasState() ? listApprovals((await open()).store, query) : { approvals: [], next: null };
    },
    approval,
    answer,
    async answerFrom(text, by) {
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
    },
    async sweepApprovals() {
      if (!hasState()) return { expired: [], reminded: [] };
      const { store, engine } = await open();
      return sweep(store, engine, parts.clock.now());
    },
  };
}

const NOT_OURS: ReadonlySet<string> = new Set(["RUN_HELD", "RUN_ENDED", "RUN_LOST"]);

async function sweep(store: Store, engine: Engine, now: number): Promise<SweptApprovals> {
  const due: Approval[] = [];
  for await (const approval of openApprovals(store)) if (isDue(approval, now)) due.push(approval);
  for (const run of new Set(due.map((each) => each.run as RunId))) {
    await engine.tend(run).catch((error: unknown) => {
      // Its host sees to it, or it is over.
      if (!isPawlError(error) || !NOT_OURS.has(error.code)) throw error;
    });
  }
  const [over, early] = [due.filter((each) => isOver(each, now)), due.filter((each) => !isOver(each, now))];
  return { expired: over.map(({ id }) => id), reminded: early.map(({ id }) => id) };
}

function isOver({ expiresAt }: Approval, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

function isDue(approval: Approval, now: number): boolean {
  const { remindAt, remindedAt } = approval;
  return isOver(approval, now) || (remindAt !== null && remindedAt === null && now >= remindAt);
}
