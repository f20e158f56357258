/**
 * RunState: a fold of the journal, never stored. One member per status, so that a field exists only where it is legal.
 *
 *   queued ──▶ running ◀──▶ waiting      a person must answer, or a time must come
 *                 │  ◀────▶ paused       a person or a route asked for rest
 *                 ▼
 *   succeeded failed blocked rejected cancelled killed timed_out
 *
 * A state belongs to one fold: `evolve` moves its maps into the next state instead of copying them, which keeps the
 * cost of an event the same however long the run is.
 */
import type { RunId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { Stagnation } from "../limits/stagnation/stagnation.ts";
import type { LeafStage, Target } from "../plan/plan.ts";
import type { ArtifactRef, Cause, DeferredCall, LogRef, Parked, QuestionKind } from "./events.ts";
import type { StopReason, TerminalStatus, WaitReason } from "./reasons.ts";

/** An open question about a lane. The answer must name the digest, so it cannot be used for anything else. */
export interface Question {
  readonly kind: QuestionKind;
  readonly id: string;
  readonly digest: string;
  readonly answers: readonly string[];
  readonly why: string;
  readonly scope: string | null;
  readonly expiresAt: number | null;
  /** When people are to be reminded; null: never, or they were. */
  readonly remindAt: number | null;
}

/** Why a gate that a person judges has failed. */
export interface Refusal {
  readonly cause: "denied" | "expired";
  readonly error: string;
}

/**
 * One leaf stage under way: the stage at the cursor, or one member of its group.
 *
 *   ready ─▶ running ─▶ done          lost: interrupted, may have happened, must not be repeated unasked
 *     ▲ │       │ ├───▶ ready         (a failure with attempts left, after its backoff; an interruption that may be repeated)
 *     │ └▶ asking ├───▶ lost ─▶ asking
 *     └───┘       ├───▶ resting       (its child run rests)
 *                 ├───▶ parked        (refused for now; it is tried again when its time has come)
 *                 └───▶ deferred ─▶ asking    (a person must allow a call of its agent)
 */
export interface Lane {
  readonly path: string;
  readonly leaf: LeafStage;
  /** Place among the members of its group; 0 outside a group. */
  readonly position: number;
  readonly visit: number;
  status: "ready" | "running" | "lost" | "asking" | "resting" | "parked" | "deferred" | "done";
  attempts: number;
  failures: number;
  /** Not before this time: the end of a backoff, or of what has parked it. */
  readyAt: number;
  /** How often an attempt of this visit was refused for now. */
  parks: number;
  /** What it is parked for, or rests with a child run that is; null: it is not, or a person must act. */
  parked: Parked | null;
  question: Question | null;
  /** Digest of the content a person has allowed. */
  granted: string | null;
  /** What became of the question instead, when a person judges the stage. */
  refusal: Refusal | null;
  result: StageResult | null;
  /** What the workspace holds when an attempt of this visit begins; null: there is no workspace. */
  tree: string | null;
  /** What an attempt that was cut off left in the workspace. */
  leftTree: string | null;
  /** Child runs that it has begun: one more than it has failures, while the newest goes on. */
  spawned: number;
  /** Of an agent that was deferred; null: it was not. */
  deferral: Deferral | null;
}

/** Where an agent stands that a person must allow a call. */
export interface Deferral {
  readonly call: DeferredCall;
  readonly digest: string;
  readonly why: string;
  readonly rule: string;
  /** A person has allowed it: the next attempt may make this call, once. */
  readonly allowed: boolean;
  /** Why a person has denied it: the next attempt is told so, and goes on without it. null: nobody has. */
  readonly denied: string | null;
  /** The tree that the first of these attempts began with. */
  readonly from: string | null;
  /** What the attempts so far have used that the next one goes on from. */
  readonly usage: Usage;
  readonly turns: number;
  readonly tookMs: number;
}

/** What later stages may refer to: the latest end of a stage. */
export interface StageResult {
  readonly outcome: string;
  readonly cause: Cause;
  readonly exit?: number | undefined;
  readonly error?: string | undefined;
  readonly output?: JsonValue | undefined;
  readonly log?: LogRef | undefined;
  readonly artifacts?: Readonly<Record<string, ArtifactRef>> | undefined;
  readonly tree?: string | undefined;
  readonly content?: string | undefined;
  readonly session?: string | undefined;
}

/** What is known in every status. */
export interface RunFacts {
  readonly run: RunId;
  /** The run that approvals name: itself, or while a fork retells what was before it, the run that it tells of. */
  origin: string;
  readonly plan: string;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly createdAt: number;
  /** Time of the newest event; time never runs backwards within a run. */
  at: number;
  startedAt: number;
  /** How long it has rested or had no host since then. */
  restedMs: number;
  round: number;
  /** Leaf stages started, attempts counted one by one. */
  started: number;
  /** Failed attempts since the last that ended well. */
  consecutiveFailures: number;
  /** Rounds in a row in which a stage failed, the one under way among them. */
  failedRounds: number;
  /** A stage has failed in the round under way. */
  roundFailed: boolean;
  /** Child runs begun, with those that they have begun, as far as they have told. */
  spawned: number;
  /** Calls to models, with those of child runs, as far as they have told. */
  turns: number;
  /** Whether it still gets somewhere; null: its plan does not ask. */
  stagnation: Stagnation | null;
  usage: Usage;
  /** Why what was spent can not be trusted to stay within the plan; null: every attempt has kept to its cost. */
  overspent: string | null;
  /** Most of a cap is spent: it may only report from here on. */
  degraded: boolean;
  /** What the workspace of the run holds after the latest stage; null: there is no workspace. */
  tree: string | null;
  /** What gates compare with: the tree that the run, or the run that started it, began with. */
  readonly base: string | null;
  /** Where third-party text is that no person has approved: `params.name`, `run.tree` and `run.tree/stage`, ids of stages. */
  readonly tainted: Set<string>;
  readonly visits: Map<string, number>;
  readonly results: Map<string, StageResult>;
  /** What the last process that judged has passed; null: none has, or the last one did not pass. */
  verified: { readonly tree: string | null } | null;
  /** The last process that judged has asked for a person. */
  escalated: boolean;
  /** Requests that a person has allowed for the whole run, as the `scope` of the question. */
  readonly allowed: Set<string>;
  /** Latest verdict of each gate about the tree. */
  readonly verdicts: Map<string, string>;
  /** Merge gates that did not let it be merged: a person merges, and of the tree that says nothing. */
  readonly withheld: Map<string, string>;
  /** It was merged, or handed in to be. */
  merged: boolean;
  lastFailure: { readonly stage: string; readonly cause: Cause; readonly error?: string } | null;
}

export interface OpenGroup {
  readonly stage: string;
  readonly items: readonly JsonValue[] | null;
}

/** Where a run stands between its start and its end. */
export interface Progress {
  readonly cursor: Target;
  readonly lanes: Map<string, Lane>;
  readonly group: OpenGroup | null;
}

export interface Stopping {
  readonly reason: StopReason;
  readonly detail: string;
}

export type RunState =
  | { readonly status: "queued"; readonly facts: RunFacts }
  | {
      readonly status: "running";
      readonly facts: RunFacts;
      readonly progress: Progress;
      readonly stopping: Stopping | null;
      readonly pausing: string | null;
    }
  | {
      readonly status: "waiting";
      readonly facts: RunFacts;
      readonly progress: Progress;
      readonly reason: WaitReason;
      /** When it goes on by itself; null: a person must act. */
      readonly until: number | null;
      /** What must let it; null: nothing but time. */
      readonly target: string | null;
      readonly stopping: Stopping | null;
    }
  | { readonly status: "paused"; readonly facts: RunFacts; readonly progress: Progress; readonly by: string }
  | {
      readonly status: TerminalStatus;
      readonly facts: RunFacts;
      readonly reason: StopReason;
      readonly detail?: string;
    };

export type RunningState = Extract<RunState, { status: "running" }>;
