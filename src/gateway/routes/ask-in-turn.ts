/**
 * Asks the models of a route one after the other until one answers. A model that is busy is asked again after a while, then
 * the next one; a request that nobody can answer is not passed around. Whoever did not answer is named with the reason.
 */
import type { CallEnd } from "../../limits/breaker/breaker.ts";
import { BREAKER_RULES, type BreakerRules } from "../../limits/breaker/rules.ts";
import { type Candidate, showCandidate } from "../../limits/routes/candidate.ts";
import { type CallFailure, type FailureKind, judgeFailure } from "../../limits/routes/failure.ts";
import { retryWaitMs } from "../../limits/routes/retry.ts";
import type { PassedOver, Route } from "../../limits/routes/route.ts";
import type { RouteSettings } from "../../limits/routes/settings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Breakers } from "../../ports/store/breakers.ts";
import { waitUntil } from "./wait-until.ts";

/** How one model took one request. */
export type Attempt<T> =
  | { readonly kind: "answered"; readonly answer: T }
  /** `until`: the provider named an instant before which it is of no use to ask again. */
  | { readonly kind: "failed"; readonly failure: CallFailure; readonly until: number | null; readonly answer: T }
  /** Nobody else is asked: the client has gone, or the try may have been billed. `end`: what that says about the model. */
  | { readonly kind: "ended"; readonly end: CallEnd; readonly answer: T };

export interface Asking<T> {
  readonly route: Route;
  /** Never throws: what goes wrong is a failure. */
  ask(candidate: Candidate): Promise<Attempt<T>>;
  readonly signal: AbortSignal;
}

export interface Turns {
  readonly breakers: Pick<Breakers, "admit" | "report" | "park">;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly chance: () => number;
  readonly settings: Pick<RouteSettings, "retry" | "bench">;
}

export interface Asked<T> {
  /** null: nobody was asked. */
  readonly answer: T | null;
  /** Whose answer it is, be it an error. */
  readonly by: Candidate | null;
  /** Each failure in order, and those who were not asked. */
  readonly passedOver: readonly PassedOver[];
  /** When the first of them can be asked again, as far as anybody knows. */
  readonly until: number | null;
  /** To be told once, when the answer has come to its end: whether it did. */
  finish(end: CallEnd): Promise<void>;
}

function targetOf({ provider, model }: Candidate): string {
  return `model:${provider}/${model}`;
}

export async function askInTurn<T>(asking: Asking<T>, turns: Turns): Promise<Asked<T>> {
  const state: State<T> = { passedOver: [...asking.route.passedOver], last: null, untils: new Map() };
  for (const candidate of asking.route.candidates) {
    const found = await askOne(candidate, asking, turns, state);
    if (found !== null) return found;
  }
  const again = soonest(state);
  if (state.last === null && again !== null && (await pause(again.until, asking, turns))) {
    const found = await askOne(again.candidate, asking, turns, state);
    if (found !== null) return found;
  }
  return asked(state, state.last?.answer ?? null, state.last?.by ?? null, NOTHING_LEFT);
}

const NOTHING_LEFT = (): Promise<void> => Promise.resolve();

interface State<T> {
  readonly passedOver: PassedOver[];
  last: { readonly answer: T; readonly by: Candidate } | null;
  /** What each candidate said last: an earlier instant of the same candidate no longer counts. */
  readonly untils: Map<string, Again>;
}

interface Again {
  readonly until: number;
  readonly candidate: Candidate;
}

function asked<T>(state: State<T>, answer: T | null, by: Candidate | null, finish: Asked<T>["finish"]): Asked<T> {
  return { answer, by, passedOver: state.passedOver, until: soonest(state)?.until ?? null, finish };
}

function soonest<T>({ untils }: State<T>): Again | null {
  return [...untils.values()].sort((a, b) => a.until - b.until)[0] ?? null;
}

/** null: the next one's turn. */
async function askOne<T>(
  candidate: Candidate,
  asking: Asking<T>,
  turns: Turns,
  state: State<T>,
): Promise<Asked<T> | null> {
  const { breakers, clock } = turns;
  for (let failures = 1; ; failures += 1) {
    const admission = await breakers.admit(targetOf(candidate), benchOf(turns), clock.now());
    if (!admission.go) {
      note(state, candidate, `left alone: ${admission.why}`, admission.until);
      return null;
    }
    const report = (end: CallEnd): Promise<void> => breakers.report(admission.ticket, end, clock.now());
    const attempt = await asking.ask(candidate);
    if (attempt.kind === "answered") return asked(state, attempt.answer, candidate, report);
    if (attempt.kind === "ended") {
      await report(attempt.end);
      return asked(state, attempt.answer, candidate, NOTHING_LEFT);
    }
    const kind = await weigh(candidate, attempt, report, state);
    if (kind === "transient" && (await pauseBefore(failures, attempt.until, asking, turns))) continue;
    await leaveAlone(candidate, attempt, turns);
    return kind === "permanent" ? asked(state, attempt.answer, candidate, NOTHING_LEFT) : null;
  }
}

/** Nobody asks it again before the instant that it named, this request or another: the bench alone may be shorter. */
async function leaveAlone<T>(
  candidate: Candidate,
  { failure, until }: Extract<Attempt<T>, { kind: "failed" }>,
  { breakers, clock, settings }: Turns,
): Promise<void> {
  if (until === null || until - clock.now() <= settings.bench.coolDownMs) return;
  await breakers.park(targetOf(candidate), until, judgeFailure(failure).why, clock.now());
}

/** What a failure means, told to whoever has to know. */
async function weigh<T>(
  candidate: Candidate,
  { failure, until, answer }: Extract<Attempt<T>, { kind: "failed" }>,
  report: (end: CallEnd) => Promise<void>,
  state: State<T>,
): Promise<FailureKind> {
  const { kind, why } = judgeFailure(failure);
  await report(kind === "transient" ? "failure" : "ignored");
  note(state, candidate, why, until);
  state.last = { answer, by: candidate };
  return kind;
}

function note<T>(state: State<T>, candidate: Candidate, why: string, until: number | null): void {
  state.passedOver.push({ model: showCandidate(candidate), why });
  if (until === null) state.untils.delete(showCandidate(candidate));
  else state.untils.set(showCandidate(candidate), { until, candidate });
}

function benchOf({ settings }: Turns): BreakerRules {
  return { ...BREAKER_RULES, ...settings.bench };
}

/** Whether the same model is to be asked again, now. */
async function pauseBefore<T>(
  failures: number,
  until: number | null,
  asking: Asking<T>,
  turns: Turns,
): Promise<boolean> {
  const { clock, settings, chance } = turns;
  const askedMs = until === null ? null : Math.max(0, until - clock.now());
  const waitMs = retryWaitMs(settings.retry, { failures, askedMs, chance: chance() });
  return waitMs !== null && (await pause(clock.now() + waitMs, asking, turns));
}

/** false: it would take too long, or nobody waits for the answer any more. */
async function pause<T>(until: number, { signal }: Asking<T>, { clock, settings }: Turns): Promise<boolean> {
  if (until - clock.now() > 2 * settings.retry.maxMs || signal.aborted) return false;
  await waitUntil(until, signal, clock);
  return !signal.aborted;
}
