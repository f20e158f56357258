/** RunStory: the events of a run as a person wants them told. A fold that also accepts a damaged or unfinished journal. */

import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import { addUsage, NO_USAGE } from "../../base/usage.ts";
import type { Wall } from "../../plan/plan.ts";
import { describeRequest } from "../../policy/describe.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { ArchivedFiles, UnsavedWorkspace } from "../../ports/workspaces.ts";
import type { ArtifactRef, EventOf, LogRef, RunEvent, StoredEvent } from "../../run/events.ts";
import type { Status, StopReason, WaitReason } from "../../run/reasons.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { errorOf } from "./event-line.ts";

/** One try of a stage. */
export interface AttemptStory {
  readonly stage: string;
  readonly visit: number;
  readonly attempt: number;
  readonly startedAt: number;
  state: "running" | "asking" | "finished" | "interrupted" | "resting" | "parked" | "deferred" | "refused";
  endedAt: number | null;
  outcome: string | null;
  cause: string | null;
  exit?: number;
  signal?: string;
  error?: string;
  log?: LogRef;
  /** What an agent said, asked and was told. */
  transcript?: ArtifactRef;
  /** What it has stored, by name. */
  artifacts?: Readonly<Record<string, ArtifactRef>>;
  /** At least so many files that it was to keep were not stored. */
  unkept?: number;
  child?: string;
}

export interface QuestionStory {
  readonly id: string;
  readonly stage: string;
  readonly kind: string;
  readonly digest: string;
  readonly why: string;
  readonly answers: readonly string[];
  readonly request: string | null;
}

/** A question that a person can answer now: of this run, or of a child run it rests on. */
export interface OpenQuestion {
  readonly id: string;
  readonly run: string;
  readonly stage: string;
  readonly why: string;
  readonly answers: readonly string[];
  /** Exactly what would happen, where policy asks. */
  readonly request: string | null;
}

export interface DenialStory {
  readonly stage: string;
  readonly rule: string;
  readonly why: string;
  readonly request: JsonObject;
}

export interface RunStory {
  run: string;
  blueprint: string;
  plan: string;
  params: Readonly<Record<string, JsonValue>>;
  parent: { readonly run: string; readonly stage: string } | null;
  /** It ran above the level that was earned, because a person said so. */
  unearned: EventOf<"run.created">["unearned"] | null;
  /** It is part of a drill. */
  drill: EventOf<"run.created">["drill"] | null;
  /** Digest of the certificate it ended with. */
  certificate: string | null;
  createdAt: number;
  updatedAt: number;
  status: Status;
  reason: StopReason | WaitReason | null;
  /** When a run that waits goes on by itself; null: it does not. */
  until: number | null;
  detail: string | null;
  round: number;
  events: number;
  usage: Usage;
  /** Changes that it merged, with those of its child runs. Filled in when the story is complete. */
  merged: number;
  attempts: AttemptStory[];
  questions: QuestionStory[];
  /** Filled in when the story is complete. */
  open: readonly OpenQuestion[];
  /** Who resumes it, where it was answered and waits. Filled in when the story is complete. */
  outlook?: Awaited<ReturnType<Runtime["resumeOutlook"]>>;
  /** Folders with files of it that no tree holds. */
  unsaved: readonly UnsavedWorkspace[];
  /** Archives of files of it that no tree can hold. Filled in when the story is complete. */
  archives: readonly ArchivedFiles[];
  denial: DenialStory | null;
}

export function beginStory(run: string): RunStory {
  return {
    run,
    blueprint: "",
    plan: "",
    params: {},
    parent: null,
    unearned: null,
    drill: null,
    certificate: null,
    createdAt: 0,
    updatedAt: 0,
    status: "queued",
    reason: null,
    until: null,
    detail: null,
    round: 1,
    events: 0,
    usage: NO_USAGE,
    merged: 0,
    attempts: [],
    questions: [],
    open: [],
    unsaved: [],
    archives: [],
    denial: null,
  };
}

/** Adds one event to the story, in place. */
export function tell(story: RunStory, stored: StoredEvent): void {
  story.events = stored.seq;
  story.updatedAt = stored.event.at;
  tellRun(story, stored.event);
  tellStage(story, stored.event);
}

function tellRun(story: RunStory, event: RunEvent): void {
  switch (event.type) {
    case "run.created":
      story.blueprint = event.blueprint;
      story.plan = event.plan;
      story.params = event.params;
      story.parent = event.parent ?? null;
      story.unearned = event.unearned ?? null;
      story.drill = event.drill ?? null;
      story.createdAt = event.at;
      return;
    case "run.started":
    case "run.resumed":
      setStatus(story, "running", null);
      return;
    case "run.waiting":
      setStatus(story, "waiting", event.reason);
      story.until = event.until ?? null;
      return;
    case "run.paused":
      setStatus(story, "paused", null);
      return;
    case "run.finished":
      setStatus(story, event.status as Status, event.reason);
      story.detail = event.detail ?? null;
      story.certificate = event.certificate?.sha256 ?? null;
      return;
    case "round.started":
      story.round = event.round;
      return;
    default:
      return;
  }
}

function setStatus(story: RunStory, status: Status, reason: StopReason | WaitReason | null): void {
  story.status = status;
  story.reason = reason;
  story.until = null;
}

function tellStage(story: RunStory, event: RunEvent): void {
  switch (event.type) {
    case "stage.started":
      story.attempts.push(newAttempt(event, event.attempt, "running"));
      return;
    case "stage.finished":
      finish(story, event);
      return;
    case "stage.interrupted":
      keepLog(end(story, event.stage, event.at, "interrupted"), event.log);
      return;
    case "stage.refused":
      story.attempts.push({
        ...newAttempt(event, 0, "refused"),
        endedAt: event.at,
        outcome: "failure",
        cause: "invalid_input",
        error: event.error,
      });
      return;
    case "stage.rested": {
      const attempt = end(story, event.stage, event.at, "resting");
      if (attempt !== undefined) attempt.child = event.child;
      return;
    }
    case "stage.parked":
      park(story, event);
      return;
    case "stage.deferred":
      deferCall(story, event);
      return;
    case "budget.refused":
    case "run.degraded": {
      // An attempt that begins all the same tells its end later.
      const attempt = end(story, event.stage, event.at, "refused");
      if (attempt !== undefined) attempt.error = event.why;
      return;
    }
    case "policy.denied":
      story.denial = { stage: event.stage, rule: event.rule, why: event.why, request: event.request };
      return;
    case "approval.requested":
      tellQuestion(story, event);
      return;
    case "approval.answered":
    case "approval.expired":
      story.questions = story.questions.filter(
        (question) => question.stage !== event.stage || question.digest !== event.digest,
      );
      return;
    default:
      return;
  }
}

function tellQuestion(story: RunStory, event: EventOf<"approval.requested">): void {
  const { id, stage, kind, digest, why, answers, request } = event;
  const asked = kind === "policy" && request !== undefined ? describeAsked(request) : null;
  story.questions.push({ id, stage, kind, digest, why, answers, request: asked });
  // What a person judges has no other beginning.
  if (kind === "gate") story.attempts.push(newAttempt(event, 1, "asking"));
}

function newAttempt(
  at: { stage: string; visit: number; at: number },
  attempt: number,
  state: AttemptStory["state"],
): AttemptStory {
  return {
    stage: at.stage,
    visit: at.visit,
    attempt,
    startedAt: at.at,
    state,
    endedAt: null,
    outcome: null,
    cause: null,
  };
}

function finish(story: RunStory, event: EventOf<"stage.finished">): void {
  story.usage = addUsage(story.usage, event.usage ?? NO_USAGE);
  const attempt = end(story, event.stage, event.at, "finished");
  if (attempt === undefined) return;
  attempt.outcome = event.outcome;
  attempt.cause = event.cause;
  if (event.exit !== undefined) attempt.exit = event.exit;
  if (event.signal !== undefined) attempt.signal = event.signal;
  const error = errorOf(event);
  if (error !== undefined) attempt.error = error;
  if (event.log !== undefined) attempt.log = event.log;
  keepArtifacts(attempt, event);
  if (event.unkept !== undefined) attempt.unkept = event.unkept;
  if (event.child !== undefined) attempt.child = event.child;
}

function park(story: RunStory, event: EventOf<"stage.parked">): void {
  story.usage = addUsage(story.usage, event.usage ?? NO_USAGE);
  const attempt = end(story, event.stage, event.at, "parked");
  keepLog(attempt, event.log);
  if (attempt !== undefined) attempt.error = event.why;
}

function deferCall(story: RunStory, event: EventOf<"stage.deferred">): void {
  story.usage = addUsage(story.usage, event.usage ?? NO_USAGE);
  const attempt = end(story, event.stage, event.at, "deferred");
  keepLog(attempt, event.log);
  if (attempt === undefined) return;
  attempt.error = event.why;
  keepArtifacts(attempt, event);
}

function keepArtifacts(attempt: AttemptStory, { artifacts }: Pick<EventOf<"stage.finished">, "artifacts">): void {
  if (artifacts === undefined) return;
  attempt.artifacts = artifacts;
  const ref = artifacts["transcript"];
  if (ref !== undefined) attempt.transcript = ref;
}

/** The newest attempt of the stage; few are open at once, so the search from the end is short. */
function end(story: RunStory, stage: string, at: number, state: AttemptStory["state"]): AttemptStory | undefined {
  const attempt = story.attempts.findLast((each) => each.stage === stage);
  if (attempt === undefined) return undefined;
  attempt.state = state;
  attempt.endedAt = at;
  return attempt;
}

function keepLog(attempt: AttemptStory | undefined, log: LogRef | undefined): void {
  if (attempt !== undefined && log !== undefined) attempt.log = log;
}

/** Attempts under way now. */
export function openAttempts(story: RunStory): readonly AttemptStory[] {
  return story.attempts.filter((attempt) => attempt.state === "running");
}

/** The attempt to look at first when a run did not succeed: the newest that went wrong. */
export function lastTrouble(story: RunStory): AttemptStory | undefined {
  return story.attempts.findLast((attempt) => attempt.state !== "running" && attempt.cause !== "ok");
}

/** The request, then whatever else it comes with: nobody should allow what they were not shown. */
function describeAsked(asked: JsonObject): string {
  const { kind: _kind, argv: _argv, script: _script, action: _action, wall, ...rest } = asked;
  const more = Object.entries(rest).filter(
    ([, value]) => value !== undefined && value !== "." && canonical(value) !== "{}",
  );
  const request = describeRequest(asked as unknown as PolicyRequest);
  const behind = wall === undefined ? "" : ` (${describeWall(wall as unknown as Wall)})`;
  return `${request}${more.length === 0 ? "" : ` ${canonical(Object.fromEntries(more))}`}${behind}`;
}

/** What it may do besides running; its limits only take away from that. */
function describeWall({ sandbox, network }: Pick<Wall, "sandbox" | "network">): string {
  return network.length === 0 ? sandbox : `${sandbox}, may reach ${network.join(", ")}`;
}
