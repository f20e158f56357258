/** Engine: who hosts the loop. Every engine gives a run the same laws; they differ in where the loop lives and who wakes it. */
import type { RunId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { Plan } from "../plan/plan.ts";
import type { Answer } from "../run/approval/answer.ts";
import type { RunEvent } from "../run/events.ts";
import type { Status, StopReason, WaitReason } from "../run/reasons.ts";

export interface HostedEnd {
  readonly run: RunId;
  /** `running`: the engine was drained; the run can be resumed. */
  readonly status: Status;
  readonly reason: StopReason | WaitReason | null;
  /** When it goes on by itself, where it waits for a time; null: it does not. */
  readonly until: number | null;
  /** What must let it then, such as `quota:claude`; null: nothing but time. */
  readonly target: string | null;
  /** What the run and its children have spent so far. */
  readonly usage: Usage;
  /** Calls to models so far, with those of its children. */
  readonly turns: number;
  /** Child runs that it has begun so far, with theirs. */
  readonly spawned: number;
  /** What its workspace held then; null: it has none. */
  readonly tree: string | null;
}

export interface Hosted {
  readonly run: RunId;
  /** Rejects when the journal failed or another host took over; what is stored stays true and the run resumable. */
  readonly ended: Promise<HostedEnd>;
}

export type NamedAnswer = Omit<Answer, "by"> & { readonly id: string };

export interface ResumeOptions {
  /** To its first open question, or to the question that it names. It is stored in the same step in which the run resumes. */
  readonly answer?: string | NamedAnswer;
  /** What was refused for now is tried at once, before its time. */
  readonly early?: boolean;
  readonly by: string;
}

export interface NewRun {
  readonly run: RunId;
  readonly plan: Plan;
  readonly params: Readonly<Record<string, JsonValue>>;
  /** What its workspace starts from; null: it has none. */
  readonly tree: string | null;
  /** What its gates compare with; without it, what its workspace starts from. */
  readonly base?: string | null;
  readonly parent?: { readonly run: RunId; readonly stage: string };
  /** A person let it run above the level that was earned; `missing` is the evidence there was not. */
  readonly unearned?: { readonly by: string; readonly why: string; readonly missing: readonly string[] };
  /** It is part of a drill: `plant` names what was planted in its tree. */
  readonly drill?: { readonly id: string; readonly plant: string };
  /** It goes on where another run was: `history` is what that run had done, without its creation. */
  readonly fork?: {
    readonly run: RunId;
    readonly stage: string;
    readonly origin: string;
    /** When the other run was created: what is copied keeps its times. */
    readonly at: number;
    readonly history: readonly RunEvent[];
  };
}

/** The first place where a replay and the journal differ, or none. */
export type ReplayReport =
  | { readonly equal: true; readonly events: number }
  | { readonly equal: false; readonly seq: number; readonly expected: string; readonly found: string };

export interface Engine {
  /** Resolves when the run exists durably; it then goes on by itself. Rejects with RUN_KILL_SWITCH. */
  start(run: NewRun): Promise<Hosted>;
  /** Goes on with a run that no living host has. Rejects with RUN_NOT_FOUND, RUN_ENDED, RUN_HELD, RUN_NOT_DUE, RUN_ANSWER_NEEDED, RUN_ANSWER_UNKNOWN, RUN_APPROVAL_*, RUN_KILL_SWITCH. */
  resume(run: RunId, options: ResumeOptions): Promise<Hosted>;
  /**
   * Goes on with a run that rests until a time, when that has come and what has refused it lets it: one run tries, and only when
   * that gets through do the others follow, one by one, in whichever process they wait. Clocks may jump meanwhile.
   * Rejects as `resume` does, and with what `signal` was aborted with.
   */
  wake(run: RunId, options: { readonly by: string; readonly signal: AbortSignal }): Promise<Hosted>;
  /**
   * Records the answer to a question, durably, and nothing else: the run rests on until somebody resumes it, unless the
   * answer ends it. Of two answers one wins. Rejects with RUN_NOT_FOUND, RUN_HELD, RUN_ANSWER_UNKNOWN and RUN_APPROVAL_*.
   */
  answer(run: RunId, answer: Answer & { readonly id: string }): Promise<void>;
  /** Records what is due of the questions of a run that rests: reminders, and that nobody answered in time. */
  tend(run: RunId): Promise<void>;
  /** "requested": its host will end it. "ended": nobody hosted it, so it was ended here. */
  cancel(run: RunId, by: string): Promise<"requested" | "ended">;
  /**
   * Ends, here and now, a run that no living host has, because the kill switch is on for it. Rejects with RUN_NOT_FOUND,
   * RUN_ENDED, RUN_HELD.
   */
  kill(run: RunId, request: { readonly by: string; readonly why: string }): Promise<void>;
  /** Asks for rest at the next stage boundary. */
  pause(run: RunId, by: string): Promise<void>;
  /** Decides the whole run again from its journal; calls no executor, action or clock. */
  replay(run: RunId): Promise<ReplayReport>;
  /** Stops hosting: ends processes, records nothing, leaves every run resumable. */
  drain(): Promise<void>;
}
