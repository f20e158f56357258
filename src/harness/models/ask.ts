/**
 * Asks the models of a chain one after the other until one answers. Who is busy is asked again once, then the next; a request
 * that nobody can answer is not passed around; an empty answer is the next one's turn. What was billed is told, whatever it
 * was worth.
 */
import type { CallEnd } from "../../limits/breaker/breaker.ts";
import { type CallFailure, judgeFailure } from "../../limits/routes/failure.ts";
import { RETRY_RULES, retryWaitMs } from "../../limits/routes/retry.ts";
import { retryAt } from "../../limits/routes/retry-at.ts";
import type { AgentFailure } from "../../ports/agents/agent-backend.ts";
import type { Clock } from "../../ports/clock.ts";
import { orAborted } from "../patience.ts";
import { classify, failureOf } from "./failure.ts";
import type { Health } from "./health.ts";
import type { Answer, CallOptions } from "./model.ts";
import { isReadable } from "./read-answer.ts";
import type { Candidate } from "./route.ts";

export interface Asking {
  readonly candidates: readonly Candidate[];
  readonly health: Health;
  readonly clock: Clock;
  readonly chance: () => number;
  /** An answer came and is billed. */
  onBilled(candidate: Candidate, answer: Answer): void;
  onFailure(candidate: Candidate, why: string): void;
}

export type Asked =
  | { readonly kind: "answered"; readonly candidate: Candidate; readonly answer: Answer }
  | { readonly kind: "failed"; readonly why: AgentFailure | "budget"; readonly reasons: string }
  | { readonly kind: "aborted" };

interface Turn {
  readonly asking: Asking;
  readonly options: CallOptions;
  readonly signal: AbortSignal;
  readonly reasons: string[];
  last: AgentFailure | "budget";
  wasAsked: boolean;
}

export async function askModels(asking: Asking, options: CallOptions, signal: AbortSignal): Promise<Asked> {
  const turn: Turn = { asking, options, signal, reasons: [], last: "lost", wasAsked: false };
  for (const candidate of asking.candidates) {
    const asked = await askOne(candidate, turn, false);
    if (asked !== null) return asked;
  }
  // Where everybody is left alone there is nobody to give way to.
  const [first] = asking.candidates;
  const asked = turn.wasAsked || first === undefined ? null : await askOne(first, turn, true);
  if (asked !== null) return asked;
  return { kind: "failed", why: turn.last, reasons: turn.reasons.join("; ") };
}

/** null: the next one's turn. */
async function askOne(candidate: Candidate, turn: Turn, isForced: boolean): Promise<Asked | null> {
  for (let failures = 1; ; failures += 1) {
    const tried = await tryAdmitted(candidate, turn, isForced);
    if (tried.kind !== "failed") return tried;
    turn.reasons.push(`${candidate.name}: ${tried.why}`);
    turn.asking.onFailure(candidate, tried.why);
    turn.last = tried.as ?? turn.last;
    if (tried.next === "nobody") return { kind: "failed", why: turn.last, reasons: turn.reasons.join("; ") };
    if (tried.next === "another" || !(await pause(failures, tried.askedMs, turn))) return null;
  }
}

async function tryAdmitted(candidate: Candidate, turn: Turn, isForced: boolean): Promise<Tried> {
  const { health, clock } = turn.asking;
  // The SDK does not look at a signal that has aborted before.
  if (turn.signal.aborted) return { kind: "aborted" };
  const admission = health.admit(candidate.name, clock.now());
  if (!admission.go && !isForced) return { ...EMPTY, why: `left alone: ${admission.why}`, as: null };
  turn.wasAsked = true;
  const tried = await tryOnce(candidate, turn);
  if (admission.go) health.report(admission.ticket, endOf(tried), clock.now());
  return tried;
}

type Tried = Exclude<Asked, { kind: "failed" }> | Failed;

interface Failed {
  readonly kind: "failed";
  readonly why: string;
  /** null: it was not asked. */
  readonly as: AgentFailure | "budget" | null;
  /** Who may be asked now: the same model, another one, or nobody. */
  readonly next: "again" | "another" | "nobody";
  /** How long it wants to be left alone. */
  readonly askedMs: number | null;
}

const EMPTY: Failed = { kind: "failed", why: "an empty answer", as: "provider", next: "another", askedMs: null };
const UNREADABLE: Failed = { ...EMPTY, why: "an answer that cannot be read" };

async function tryOnce(candidate: Candidate, { asking, options, signal }: Turn): Promise<Tried> {
  const { model } = candidate;
  try {
    const call = model.doGenerate({ ...options, ...candidate.options, abortSignal: signal });
    const answer = await orAborted(Promise.resolve(call), signal);
    asking.onBilled(candidate, answer);
    if (!isReadable(answer)) return UNREADABLE;
    return isEmpty(answer) ? EMPTY : { kind: "answered", candidate, answer };
  } catch (thrown) {
    return signal.aborted ? { kind: "aborted" } : judged(failureOf(thrown, model.provider), asking.clock.now());
  }
}

const NEXT = { transient: "again", exhausted: "another", absent: "another", permanent: "nobody" } as const;

function judged(failure: CallFailure, at: number): Failed {
  const { kind, why } = judgeFailure(failure);
  const until = retryAt(failure, { at, zone: "" });
  const askedMs = until === null ? null : until - at;
  return { kind: "failed", why, as: classify(failure), next: NEXT[kind], askedMs };
}

/** What it says about the model. */
function endOf(tried: Tried): CallEnd {
  if (tried.kind === "failed") return tried.next === "again" ? "failure" : "ignored";
  return tried.kind === "answered" ? "success" : "ignored";
}

function isEmpty({ finishReason, content }: Answer): boolean {
  if (finishReason.unified === "length") return false;
  return !content.some((part) => part.type === "tool-call" || (part.type === "text" && part.text.trim() !== ""));
}

/** Whether the same model is to be asked again, now. */
async function pause(failures: number, askedMs: number | null, { asking, signal }: Turn): Promise<boolean> {
  const waitMs = retryWaitMs(RETRY_RULES, { failures, askedMs, chance: asking.chance() });
  if (waitMs === null) return false;
  await sleep(waitMs, asking.clock, signal);
  return true;
}

function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener("abort", wake);
      callOff();
      resolve();
    };
    const callOff = clock.after(ms, wake);
    signal.addEventListener("abort", wake);
  });
}
