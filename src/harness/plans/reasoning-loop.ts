/**
 * Plan, execute, look, plan again: a bounded loop. The end is good only when whoever plans says so after a plan that went well; the same
 * plan twice is the end, because it would give the same again.
 */
import type { JsonValue } from "../../base/json.ts";
import { type Ended, finish, type PlanReport } from "./end-plan.ts";
import { executeIn, unlessAborted } from "./execute-plan.ts";
import type { ExecutionContext, StepResult } from "./execution-context.ts";
import { limitsWithin } from "./reading/execution-plan.ts";
import { fingerprintOf } from "./reading/read-plan.ts";
import { openSession, type PlanHost, type Session } from "./session.ts";

export interface PlannerView {
  /** From 1. */
  readonly turn: number;
  readonly results: readonly StepResult[];
  /** How the plan of the turn before went; null: there was none. */
  readonly last: Ended | null;
}

/** The next plan, or that it is done. */
export type PlannerWord = { readonly plan: JsonValue } | { readonly done: true };
export type Planner = (view: PlannerView, signal: AbortSignal) => Promise<PlannerWord>;

export async function runReasoning(
  planner: Planner,
  context: ExecutionContext,
  host: PlanHost,
  signal: AbortSignal,
): Promise<PlanReport> {
  const { calls, turnCalls, sessionMs } = limitsWithin(host.limits ?? {});
  const time = { calls: Math.min(calls, turnCalls), ms: sessionMs, stop: "max_session_runtime" } as const;
  const { session, end } = openSession(context, host, signal, time);
  try {
    return await finish(session, await turns(session, planner));
  } finally {
    end();
  }
}

async function turns(session: Session, planner: Planner): Promise<Ended> {
  const { turns: most, turnMs } = session.limits;
  const seen = new Set<string>();
  let last: Ended | null = null;
  for (let turn = 1; turn <= most; turn += 1) {
    const { session: own, end } = session.narrow(turnMs, "max_runtime");
    const ended = await oneTurn(own, planner, { turn, seen, last }).finally(end);
    if ("over" in ended) return ended.over;
    last = ended;
  }
  return { stop: "max_turns", error: last?.error ?? null, output: last?.output ?? null };
}

interface Turn {
  readonly turn: number;
  /** Fingerprints of the plans so far. */
  readonly seen: Set<string>;
  readonly last: Ended | null;
}

/** Endings after which whoever plans may try something else. */
const GOES_ON: ReadonlySet<Ended["stop"]> = new Set(["goal_achieved", "fail_fast", "replan_failed", "invalid_plan"]);

async function oneTurn(
  session: Session,
  planner: Planner,
  { turn, seen, last }: Turn,
): Promise<Ended | { readonly over: Ended }> {
  const view = { turn, results: session.context.results(), last };
  const word = await unlessAborted(planner(view, session.signal), session.signal).catch((error: unknown) => error);
  const halted = session.halted();
  if (halted !== null) return { over: over(halted, last) };
  if (!isWord(word)) {
    const message = word instanceof Error ? word.message : "whoever plans gave no plan";
    return { over: { stop: "error", error: { code: "PLANNER_FAILED", message }, output: null } };
  }
  if ("done" in word) return { over: over(last?.stop === "goal_achieved" ? "goal_achieved" : "planner_stopped", last) };
  const fingerprint = fingerprintOf(word.plan);
  if (seen.has(fingerprint)) return { over: over("repeat_plan", last) };
  seen.add(fingerprint);
  const ended = await executeIn(session, word.plan);
  return GOES_ON.has(ended.stop) ? ended : { over: ended };
}

function over(stop: Ended["stop"], last: Ended | null): Ended {
  const error = stop === "goal_achieved" ? null : (last?.error ?? null);
  return { stop, error, output: last?.output ?? null };
}

function isWord(word: unknown): word is PlannerWord {
  return typeof word === "object" && word !== null && ("plan" in word || "done" in word);
}
