/**
 * RunEvent: every fact that can be stored about a run; the format on disk and on the wire. Names are frozen.
 * `stage` is the path of a stage: `build`, or a member of a group: `tests.lint`, `tests[3]`.
 */
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { Cap } from "../limits/ledger/cap.ts";
import type { ParkReason, StopReason, WaitReason } from "./reasons.ts";

/** How a process or action ended, as facts: only `ok` can be a success. */
export type Cause =
  | "ok"
  | "exit"
  | "signal"
  | "timeout"
  | "stall"
  | "oom"
  | "killed"
  | "spawn_error"
  | "resource"
  | "invalid_input"
  | "invalid_output"
  | "child"
  /** It was refused for now, again and again, until nothing is left of the patience of the laws. */
  | "parked"
  /** A budget was reached while it was under way. */
  | "budget"
  /** A person said no, or nobody answered in time; of an agent: policy did not let it do what it did or wanted. */
  | "denied"
  | "expired"
  /** Its target has failed too often lately: it was not started. */
  | "circuit_open"
  /** An agent says itself that it could not; its error names why. */
  | "agent"
  /** Nobody has logged the agent in, or what it was given is not accepted: trying again would not help. */
  | "auth"
  | "defect";

export interface ArtifactRef {
  readonly sha256: string;
  readonly bytes: number;
}

export interface LogRef extends ArtifactRef {
  /** Bytes written by the process that the cap left out between head and tail. */
  readonly dropped: number;
}

/** A certificate: its text as an artifact, and who signed it. */
export interface CertificateRef extends ArtifactRef {
  /** Public key and signature over the text, as base64url. */
  readonly key: string;
  readonly signature: string;
}

/** What a process and everything it started have used, as far as it was seen. */
export interface ResourceUse {
  readonly cpuMs: number;
  /** Most memory at one time. */
  readonly peakBytes: number;
  /** Written to standard output and error. */
  readonly outputBytes: number;
}

/**
 * Policy asks, an attempt was lost that must not be repeated unasked, a gate is for a person to judge, or policy asks about
 * one call of an agent.
 */
export type QuestionKind = "policy" | "interrupted" | "gate" | "call";

/** What a run that was refused for now rests for. */
export interface Parked {
  readonly reason: ParkReason;
  readonly until: number;
  readonly target?: string;
}

/** A call of an agent, with everything that it would do in the words of policy. */
export interface DeferredCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly requests: readonly JsonObject[];
}

export interface RefusedHost {
  readonly host: string;
  readonly port: number;
  readonly why: string;
  readonly times: number;
}

interface EventFields {
  "run.created": {
    readonly run: string;
    readonly blueprint: string;
    readonly plan: string;
    readonly params: Readonly<Record<string, JsonValue>>;
    /** The tree its workspace starts from, when it has one of its own. */
    readonly tree?: string;
    /** The tree that its gates compare with, where it is another: that of the run that started it. */
    readonly base?: string;
    /**
     * The run that this one goes on from, with all it had done before it began the stage. `origin` is the run that its
     * approvals name: the first of a line of forks.
     */
    readonly forked?: { readonly run: string; readonly stage: string; readonly origin: string };
    /** Run and stage that started this one, when it is a child. */
    readonly parent?: { readonly run: string; readonly stage: string };
    /** It runs above the level that was earned, because a person said so; `missing` is the evidence there was not. */
    readonly unearned?: { readonly by: string; readonly why: string; readonly missing: readonly string[] };
    /** It is part of a drill: its gates judge a change that was planted. It says nothing about the work of the blueprint. */
    readonly drill?: { readonly id: string; readonly plant: string };
  };
  "run.started": Record<never, never>;
  /** The run goes on after a rest or after its process was lost. */
  "run.resumed": {
    readonly after: "interruption" | "pause" | "wait";
    /** A person did not want to wait for `until`: what was refused is tried at once. */
    readonly early?: true;
    /** The fork that goes on from here: its questions name it, and no longer the run it was forked from. */
    readonly fork?: string;
  };
  /** An edge back to the same or an earlier stage was taken. */
  "round.started": { readonly round: number; readonly stage: string };
  /** INTENT. Stored before the effect, with the rule that allowed it. */
  "stage.started": {
    readonly stage: string;
    readonly visit: number;
    readonly attempt: number;
    readonly rule: string;
    /** Hidden characters that were taken out of third-party text: reference → how many. */
    readonly stripped?: Readonly<Record<string, number>>;
    /** Shadow rules that would have decided otherwise. */
    readonly shadow?: readonly string[];
  };
  /** DONE. */
  "stage.finished": {
    readonly stage: string;
    readonly attempt: number;
    readonly outcome: string;
    readonly cause: Cause;
    readonly exit?: number | undefined;
    readonly signal?: string | undefined;
    /** What went wrong, in a sentence, when the outcome is not a success. */
    readonly error?: string | undefined;
    readonly output?: JsonValue | undefined;
    readonly log?: LogRef | undefined;
    /** By name; what `keep` has stored by `./` and its path. */
    readonly artifacts?: Readonly<Record<string, ArtifactRef>> | undefined;
    /** At least so many files that `keep` covers were not stored: too many, too large, or no ordinary files. */
    readonly unkept?: number | undefined;
    readonly usage?: Usage | undefined;
    readonly child?: string | undefined;
    /** Calls to models; of a child run, all of its. Without it, as many as it may make. */
    readonly turns?: number | undefined;
    /** Of a child run: how many it has begun itself, with theirs. */
    readonly spawned?: number | undefined;
    /** What the workspace held when the attempt had ended; without it the workspace is as it was. Of a gate: what it judged. */
    readonly tree?: string | undefined;
    /** What that tree holds: the same id for the same files, whatever led to them. */
    readonly content?: string | undefined;
    /** Of a gate with a process: the tree it has judged. */
    readonly judged?: string | undefined;
    readonly used?: ResourceUse | undefined;
    /** Hosts it wanted to reach and may not; the first of them. */
    readonly refused?: readonly RefusedHost[] | undefined;
    /** Hidden characters that were taken out of third-party text: input → how many. */
    readonly stripped?: Readonly<Record<string, number>> | undefined;
    /** What an action handed on to others, in a commit or a pull request. */
    readonly certificate?: CertificateRef | undefined;
    /** Of an agent: the session, as its backend names it. */
    readonly session?: string | undefined;
  };
  /** The attempt was lost with its process: whether its effect happened is unknown. */
  "stage.interrupted": {
    readonly stage: string;
    readonly attempt: number;
    /** What the workspace held then. */
    readonly tree?: string;
    /** What it had written until then. */
    readonly log?: LogRef;
    /** What it is known to have spent; without it, the most that it could. */
    readonly usage?: Usage;
    readonly turns?: number;
  };
  /** The stage could not begin: a reference or an input has no value. The stage failed without an effect. */
  "stage.refused": { readonly stage: string; readonly visit: number; readonly error: string };
  /** The child run of the stage rests; the stage goes on with it after that. */
  "stage.rested": {
    readonly stage: string;
    readonly attempt: number;
    readonly child: string;
    /** Why, and when it goes on by itself. Without it a person must act. */
    readonly parked?: Parked;
  };
  /**
   * The attempt was refused for now, by the quota of a vendor or by a budget that frees again. That is no failure: it counts
   * for nothing, and the stage is tried again when the time has come.
   */
  "stage.parked": {
    readonly stage: string;
    readonly attempt: number;
    readonly reason: ParkReason;
    /** When it may be tried again; null: nobody said, and the laws choose. */
    readonly until: number | null;
    readonly why: string;
    /** What has refused, such as `quota:claude`: whoever else needs it is refused too. */
    readonly target?: string | undefined;
    readonly log?: LogRef | undefined;
    /** Without it the most that it may cost is charged. */
    readonly usage?: Usage | undefined;
    readonly turns?: number | undefined;
    readonly used?: ResourceUse | undefined;
    /** What the workspace held then. */
    readonly tree?: string | undefined;
  };
  /**
   * An agent wants to do something that a person must allow: the attempt has ended, and when it is allowed the stage goes on from
   * here with this one call. That is no failure; what follows has only what this attempt has left of its budget and its time.
   */
  "stage.deferred": {
    readonly stage: string;
    readonly attempt: number;
    readonly call: DeferredCall;
    /** Of exactly the call that the agent wanted to make; what is shown of it may be masked. */
    readonly digest: string;
    readonly why: string;
    readonly rule: string;
    readonly tookMs: number;
    readonly session?: string | undefined;
    readonly log?: LogRef | undefined;
    readonly artifacts?: Readonly<Record<string, ArtifactRef>> | undefined;
    readonly usage?: Usage | undefined;
    readonly turns?: number | undefined;
    readonly used?: ResourceUse | undefined;
    /** What the workspace held then; the stage goes on with it. */
    readonly tree?: string | undefined;
  };
  "group.opened": {
    readonly stage: string;
    readonly visit: number;
    readonly members: number;
    readonly items?: readonly JsonValue[];
  };
  "group.closed": { readonly stage: string; readonly outcome: string };
  "policy.denied": {
    readonly stage: string;
    readonly visit: number;
    readonly rule: string;
    readonly why: string;
    readonly request: JsonObject;
    /** Shadow rules that would have decided otherwise. */
    readonly shadow?: readonly string[];
  };
  /** A cap does not let the attempt begin, and does not free by itself. The run ends. */
  "budget.refused": {
    readonly stage: string;
    readonly attempt: number;
    readonly why: string;
    readonly cap: Cap;
    readonly spent: number;
    readonly reserved: number;
    readonly asked: number;
  };
  /** 80 % or more of a cap are spent: from here on the run may only report. A stage that needs more has not begun. */
  "run.degraded": { readonly stage: string; readonly level: "L1"; readonly why: string; readonly cap: Cap };
  /** A durable question to a person, bound to exact content. */
  "approval.requested": {
    readonly stage: string;
    readonly visit: number;
    readonly kind: QuestionKind;
    /** What people call it: the run it was asked in and the beginning of `digest`. */
    readonly id: string;
    readonly digest: string;
    readonly why: string;
    readonly answers: readonly string[];
    /** Exactly what would happen, where policy asks; what an approval gate is given to judge. */
    readonly request?: JsonObject;
    /** The tree that it is about. */
    readonly commit?: string;
    /** Digest of the rules that hold. */
    readonly policy: string;
    /** The rule that asks. */
    readonly rule?: string;
    /** What `approve_run` allows: the same request under the same rule, anywhere in the run. */
    readonly scope?: string;
    /** Without it the question stays open. */
    readonly expiresAt?: number;
    readonly remindAt?: number;
  };
  "approval.answered": {
    readonly stage: string;
    readonly id: string;
    readonly digest: string;
    readonly answer: string;
    readonly by: string;
    /** What the person said about it. */
    readonly why?: string;
  };
  /** The time to remind people has come. */
  "approval.reminded": { readonly stage: string; readonly id: string; readonly digest: string };
  /** Nobody answered in time: the question is closed for good. */
  "approval.expired": { readonly stage: string; readonly id: string; readonly digest: string };
  /** `until`: when it goes on by itself, where `target` lets it. Without it a person must act. */
  "run.waiting": { readonly reason: WaitReason; readonly until?: number; readonly target?: string };
  "run.pausing": { readonly by: string };
  "run.paused": { readonly by: string };
  /** The run will end: nothing new starts, what is under way is ended. */
  "run.stopping": { readonly reason: StopReason; readonly detail: string };
  "run.finished": {
    readonly status: string;
    readonly reason: StopReason;
    readonly detail?: string;
    /** With a success whose tree every gate has passed. */
    readonly certificate?: CertificateRef;
  };
}

export type EventType = keyof EventFields;
/** A fact before it has its time. */
export type Fact = { [T in EventType]: { readonly type: T } & EventFields[T] }[EventType];
export type RunEvent = Fact & { readonly at: number };

/** A fact that has no time yet. Its members stand as canonical text has them: most events are of these two kinds, and need no sorting. */
export function startedFact(stage: string, visit: number, attempt: number, rule: string): EventOf<"stage.started"> {
  return { at: 0, attempt, rule, stage, type: "stage.started", visit };
}

/** The same of a stage that did its work and left no more than this. */
export function succeededFact(
  stage: string,
  attempt: number,
  left: Pick<EventOf<"stage.finished">, "artifacts" | "output" | "tree" | "usage">,
): EventOf<"stage.finished"> {
  const { artifacts, output, tree, usage } = left;
  return {
    artifacts,
    at: 0,
    attempt,
    cause: "ok",
    outcome: "success",
    output,
    stage,
    tree,
    type: "stage.finished",
    usage,
  };
}

/** Gives a fact its time. Facts are made to be recorded once, so it is set on the fact itself. */
export function stamp(fact: Fact & { at?: number }, at: number): RunEvent {
  fact.at = at;
  return fact as RunEvent;
}

export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>;

/** An event as stored: its place, its canonical text and the chain value over everything up to it. */
export interface StoredEvent {
  readonly seq: number;
  readonly event: RunEvent;
  readonly hash: string;
}
