/**
 * Breaker: whether a target that keeps failing may be tried. One per target, for every process of a project.
 *
 *             N failures in a row             its time is over
 *   closed ────────────────────────▶ open ────────────────────▶ half_open: one trial, everybody else waits
 *     ▲                               ▲                               │
 *     │                               └── failure: open again, longer─┤
 *     └── success ────────────────────────────────────────────────────┘   (after a park: the others one by one)
 *
 * Half open is not stored: it is an open breaker whose time is over. A ticket names the epoch it was given in, and an epoch ends with
 * every change of the diagram: what is told of an older one is no news. Every time is kept with the moment it was counted
 * from, so a clock that is put back makes nobody wait longer than was meant.
 */
import type { JsonObject } from "../../base/json.ts";
import type { BreakerRules } from "./rules.ts";
import { type Ticket, writeTicket } from "./ticket.ts";

/** `ignored`: it says nothing about the target: a cancel, a denial, a budget, a wrong input. */
export type CallEnd = "success" | "failure" | "ignored";

export type Admission =
  | { readonly go: true; readonly ticket: string; readonly isTrial: boolean }
  /** `until`: when to ask again; null: nobody knows. */
  | { readonly go: false; readonly until: number | null; readonly why: string };

export interface Breaker {
  readonly epoch: number;
  /** In a row, since it was closed. */
  readonly failures: number;
  /** How often it has opened since it was last closed: each time it stays open longer. */
  readonly trips: number;
  readonly open: Span | null;
  readonly trial: Trial | null;
  /** After a park: when the next of those who waited may go. */
  readonly line: Span | null;
}

/** `from` is when it was decided, and only tells whether the clock was put back since. */
interface Span {
  readonly from: number;
  readonly until: number;
  readonly why: string;
  /** It is known when the target can be used again. */
  readonly parked: boolean;
}

interface Trial {
  readonly from: number;
  readonly until: number;
  /** Who makes it: when it is gone, so is the trial. */
  readonly host: string;
}

export const CLOSED: Breaker = { epoch: 0, failures: 0, trips: 0, open: null, trial: null, line: null };

export interface Ask {
  readonly target: string;
  readonly rules: BreakerRules;
  readonly at: number;
  /** The process that asks. */
  readonly host: string;
}

export interface Decided {
  readonly admission: Admission;
  /** The same object when nothing has changed. */
  readonly breaker: Breaker;
}

export function admit(breaker: Breaker, ask: Ask, isGone: (host: string) => boolean): Decided {
  const now = settle(breaker, ask.at);
  if (now.open === null) return now.line === null ? letThrough(now, ask) : admitInLine(now, now.line, ask);
  if (ask.at < now.open.until) return refuse(now, now.open.until, now.open.why);
  const { trial } = now;
  if (trial !== null && ask.at < trial.until && !isGone(trial.host))
    return refuse(now, Math.min(trial.until, ask.at + ask.rules.staggerMs), `${now.open.why}; a trial is under way`);
  const until = ask.at + ask.rules.trialMs;
  const tried = { ...now, epoch: now.epoch + 1, trial: { from: ask.at, until, host: ask.host } };
  return {
    admission: { go: true, ticket: writeTicket({ ...ask, epoch: tried.epoch }), isTrial: true },
    breaker: tried,
  };
}

/** Those who waited for a park come one by one; when nobody has come for a whole turn, the line is over. */
function admitInLine(now: Breaker, line: Span, ask: Ask): Decided {
  const { staggerMs } = ask.rules;
  if (ask.at < line.until) return refuse(now, line.until, line.why);
  if (ask.at >= line.until + staggerMs) return letThrough({ ...now, line: null }, ask);
  return letThrough({ ...now, line: { ...line, from: ask.at, until: ask.at + staggerMs } }, ask);
}

function letThrough(breaker: Breaker, ask: Ask): Decided {
  return {
    admission: { go: true, ticket: writeTicket({ ...ask, epoch: breaker.epoch }), isTrial: false },
    breaker,
  };
}

function refuse(breaker: Breaker, until: number, why: string): Decided {
  return { admission: { go: false, until, why }, breaker };
}

/** How what was admitted has ended. The same object when that is no news. */
export function report(breaker: Breaker, { epoch, rules }: Ticket, end: CallEnd, at: number): Breaker {
  if (epoch !== breaker.epoch) return breaker;
  if (breaker.trial !== null) return reportTrial(breaker, rules, end, at);
  if (breaker.open !== null || end === "ignored") return breaker;
  if (end === "success") return breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
  const failures = breaker.failures + 1;
  return failures < rules.failures ? { ...breaker, failures } : opened({ ...breaker, failures }, rules, at);
}

function reportTrial(breaker: Breaker, rules: BreakerRules, end: CallEnd, at: number): Breaker {
  if (end === "ignored") return { ...breaker, trial: null };
  if (end === "failure") return opened({ ...breaker, failures: breaker.failures + 1 }, rules, at);
  const parked = breaker.open?.parked === true;
  const why = "others that waited go first, one by one";
  const line = parked ? { from: at, until: at + rules.staggerMs, why, parked } : null;
  return { ...CLOSED, epoch: breaker.epoch + 1, line };
}

function opened(breaker: Breaker, rules: BreakerRules, at: number): Breaker {
  const { failures, trips } = breaker;
  const longer = rules.coolDownMs * 2 ** Math.min(trips, MOST_DOUBLINGS);
  const until = at + Math.min(longer, rules.longestMs);
  const why = failures === 1 ? "it failed" : `it failed ${failures} times in a row`;
  return {
    ...{ epoch: breaker.epoch + 1, failures, trips: trips + 1 },
    ...{ open: { from: at, until, why, parked: false }, trial: null, line: null },
  };
}

const MOST_DOUBLINGS = 30;

/** The target cannot be used before a known instant. An earlier instant takes nothing back. */
export function park(breaker: Breaker, until: number, why: string, at: number): Breaker {
  const now = settle(breaker, at);
  const later = Math.max(until, now.open?.parked === true ? now.open.until : until);
  const open = { from: at, until: later, why, parked: true };
  return { ...now, epoch: now.epoch + 1, open, trial: null, line: null };
}

/** A person says that the target is well again: whatever was admitted before says nothing about it any more. The same object when there is nothing to close. */
export function reset(breaker: Breaker): Breaker {
  const { failures, open, line } = breaker;
  return failures === 0 && open === null && line === null ? breaker : { ...CLOSED, epoch: breaker.epoch + 1 };
}

/** A clock that was put back: what was left to wait then is left to wait now. */
function settle(breaker: Breaker, at: number): Breaker {
  const { open, trial, line } = breaker;
  if (at >= Math.max(open?.from ?? at, trial?.from ?? at, line?.from ?? at)) return breaker;
  return { ...breaker, open: moved(open, at), trial: moved(trial, at), line: moved(line, at) };
}

function moved<T extends { readonly from: number; readonly until: number }>(span: T | null, at: number): T | null {
  return span === null || at >= span.from ? span : { ...span, from: at, until: span.until - (span.from - at) };
}

export type BreakerPhase = "closed" | "open" | "half_open";

/** As people see it. */
export interface BreakerView {
  readonly phase: BreakerPhase;
  readonly failures: number;
  readonly since: number | null;
  readonly until: number | null;
  readonly why: string | null;
  readonly parked: boolean;
}

export function viewBreaker(breaker: Breaker, at: number): BreakerView {
  const { failures, open } = settle(breaker, at);
  if (open === null) return { phase: "closed", failures, since: null, until: null, why: null, parked: false };
  const { from: since, until, why, parked } = open;
  return { phase: at < until ? "open" : "half_open", failures, since, until, why, parked };
}

/** For stores that keep text. */
export type BreakerJson = Breaker & JsonObject;
