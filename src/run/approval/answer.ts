/** What an answer makes of a run that waits, as facts. Nothing is written by then: what does not fit is refused here. */
import { type PawlError, pawlError } from "../../base/errors.ts";
import { isoOf } from "../../limits/quota/civil.ts";
import type { Plan } from "../../plan/plan.ts";
import { decide } from "../decide.ts";
import { effectJson, resolveEffect } from "../effect/effect.ts";
import { RUN_ERRORS } from "../errors.ts";
import type { Fact } from "../events.ts";
import type { Deferral, RunState } from "../state.ts";
import { callSubject } from "./deferred-call.ts";
import { dueFacts, type OpenLane, openLanes } from "./due.ts";
import { judgedSubject } from "./judgement.ts";
import { approvalDigest, type Subject } from "./question.ts";

export interface Answer {
  /** The question; without it, the first that is open. */
  readonly id?: string | undefined;
  /** What the person was shown; without it, whatever the id stands for. */
  readonly digest?: string | undefined;
  readonly answer: string;
  readonly by: string;
  readonly why?: string | undefined;
}

export interface Taken {
  readonly facts: readonly Fact[];
  /** The answer came too late: the facts say so, and it is not among them. */
  readonly refusal: PawlError | null;
}

type Waiting = Extract<RunState, { status: "waiting" }>;

/** Records an answer; the run rests on unless it can end without any effect. Throws RUN_ANSWER_UNKNOWN, RUN_APPROVAL_*. */
export function answerFacts(plan: Plan, state: RunState, answer: Answer, now: number): Taken {
  const asked = state.status === "waiting" ? openLanes(state.progress) : [];
  const lane = answer.id === undefined ? asked[0] : asked.find(({ question }) => question.id === answer.id);
  const due = dueFacts(state, now);
  if (state.status !== "waiting" || lane === undefined) throw unknownQuestion(state, answer);
  const { id, digest, answers, expiresAt } = lane.question;
  const { run } = state.facts;
  const ends = (refused: boolean): readonly Fact[] =>
    endsAtOnce(plan, lane, refused) ? [{ type: "run.resumed", after: "wait" }] : [];
  if (expiresAt !== null && now >= expiresAt)
    return { facts: [...due, ...ends(true)], refusal: pawlError(RUN_ERRORS, "RUN_APPROVAL_EXPIRED", { id, run }) };
  if (!answers.includes(answer.answer))
    throw pawlError(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run, answer: answer.answer, answers });
  const isSame = digest === (answer.digest ?? digest) && digest === digestNow(plan, state, lane);
  if (!isSame) throw pawlError(RUN_ERRORS, "RUN_APPROVAL_CHANGED", { id, run });
  const { by, why } = answer;
  const fact: Fact = {
    type: "approval.answered",
    stage: lane.path,
    id,
    digest,
    answer: answer.answer,
    by,
    ...(why === undefined ? {} : { why }),
  };
  const isRefused = answer.answer === "deny" && lane.question.kind !== "call";
  return { facts: [...due, fact, ...ends(isRefused)], refusal: null };
}

export interface Resumption {
  /** To the first open question, or to the question that it names. */
  readonly answer?: string | Omit<Answer, "by">;
  readonly by: string;
  readonly early?: boolean;
}

/** How a run that rests goes on: with an answer to a question, or without one where it has something to do. */
export function resumeFacts(plan: Plan, state: RunState, { answer, by, early }: Resumption, now: number): Taken {
  const after = state.status === "paused" ? "pause" : "wait";
  const resumed: Fact = { type: "run.resumed", after, ...(early === true ? { early } : {}) };
  if (answer !== undefined) return answerThenResume(plan, state, { ...named(answer), by }, resumed, now);
  if (state.status !== "waiting") return { facts: state.status === "paused" ? [resumed] : [], refusal: null };
  const needed = neededAnswer(plan, state, now);
  if (needed !== null) throw answerNeeded(state, needed);
  const until = early === true ? null : restsUntil(plan, state, now);
  if (until !== null) throw notDue(state, until);
  return { facts: [...dueFacts(state, now), resumed], refusal: null };
}

function named(answer: NonNullable<Resumption["answer"]>): Omit<Answer, "by"> {
  return typeof answer === "string" ? { answer } : answer;
}

function answerThenResume(plan: Plan, state: RunState, answer: Answer, resumed: Fact, now: number): Taken {
  const { facts, refusal } = answerFacts(plan, state, answer, now);
  const isEnd = refusal !== null || facts.some(({ type }) => type === "run.resumed");
  return { facts: isEnd ? facts : [...facts, resumed], refusal };
}

/** The question that must be answered before anything else of the run can go on. */
export function neededAnswer(plan: Plan, state: RunState, now: number): OpenLane | null {
  const [first] = state.status === "waiting" ? openLanes(state.progress) : [];
  const rest = restOf(plan, state, now);
  // What a time is waited for needs no answer.
  return first === undefined || rest === null || rest.until !== null ? null : first;
}

/** When a run that rests has something to do again by itself; null: now, or when a person has answered. */
export function restsUntil(plan: Plan, state: RunState, now: number): number | null {
  return restOf(plan, state, now)?.until ?? null;
}

/** How a run that goes on would come to rest at once; null: it would not. */
function restOf(plan: Plan, state: RunState, now: number): { readonly until: number | null } | null {
  if (state.status !== "waiting") return null;
  const { facts, progress, stopping } = state;
  // A child run that rests may have been gone on with.
  if ([...progress.lanes.values()].some(({ status }) => status === "resting")) return null;
  const next = decide(plan, { status: "running", facts, progress, stopping, pausing: null }, now);
  if (next.kind !== "record") return null;
  if (next.fact.type === "run.waiting") return { until: next.fact.until ?? null };
  // People are reminded only when nothing else is left to do.
  return next.fact.type === "approval.reminded" ? { until: null } : null;
}

/** What is due, and the end of the run where nobody is left to wait for and nothing would run. */
export function tendFacts(plan: Plan, state: RunState, now: number): readonly Fact[] {
  const due = dueFacts(state, now);
  if (state.status !== "waiting") return due;
  const over = new Set(due.flatMap((fact) => (fact.type === "approval.expired" ? [fact.id] : [])));
  const ending = openLanes(state.progress).some((lane) => over.has(lane.question.id) && endsAtOnce(plan, lane, true));
  return ending ? [...due, { type: "run.resumed", after: "wait" }] : due;
}

/** Whether the run ends here and now: policy was not obeyed (an agent goes on without a call that it may not make), or the gate was the last thing on its way to a bad end. */
function endsAtOnce(plan: Plan, { path, leaf }: OpenLane, refused: boolean): boolean {
  if (!refused) return false;
  if (leaf.kind !== "approval") return true;
  const route = plan.stages.find(({ id }) => id === path)?.routes["fail"];
  return route !== undefined && "end" in route && route.end === "fail";
}

/** The digest of what the question is about as it is now. */
function digestNow(plan: Plan, { facts, progress }: Waiting, lane: OpenLane): string | null {
  const subjectOf = (): Subject | null => {
    const { leaf, attempts, position, question } = lane;
    if (question.kind === "interrupted") return { place: { ...lane, attempt: attempts }, request: null };
    if (question.kind === "call") return callSubject(lane, lane.deferral as Deferral);
    if (leaf.kind === "approval") return judgedSubject(facts, leaf, lane).subject;
    const resolved = resolveEffect(facts, progress, leaf, position);
    if (!resolved.ok || resolved.effect.kind === "run" || resolved.effect.kind === "inspection") return null;
    return { place: { ...lane, attempt: attempts + 1 }, request: effectJson(resolved.effect) };
  };
  const subject = subjectOf();
  return subject === null ? null : approvalDigest(plan, facts, subject);
}

function unknownQuestion({ facts: { run } }: RunState, { id, answer }: Answer): PawlError {
  return id === undefined
    ? pawlError(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run, answer, answers: [] })
    : pawlError(RUN_ERRORS, "RUN_APPROVAL_NOT_FOUND", { id });
}

function notDue({ facts: { run }, reason }: Waiting, until: number): PawlError {
  return pawlError(RUN_ERRORS, "RUN_NOT_DUE", { run, reason, until: isoOf(until) });
}

function answerNeeded({ facts: { run } }: Waiting, { path: stage, question }: OpenLane): PawlError {
  const { id, why, answers } = question;
  return pawlError(RUN_ERRORS, "RUN_ANSWER_NEEDED", { run, stage, id, why, answers });
}
