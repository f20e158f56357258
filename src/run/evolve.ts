/**
 * evolve: (state, event) → state. It only records: every choice was made by `decide` before the event was written.
 * It throws only when the transition table is broken, which is a defect and never an outcome of a run.
 */

import type { RunId } from "../base/ids.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import { beginStagnation, startAfresh } from "../limits/stagnation/stagnation.ts";
import type { Plan } from "../plan/plan.ts";
import { answered, expired, reminded, requested } from "./approval/answered.ts";
import { defer } from "./approval/deferred-call.ts";
import { degrade } from "./budget/ceiling.ts";
import { countSpawn, countSpawnsOf } from "./children/spawns.ts";
import { countTurns } from "./children/turns.ts";
import type { EventOf, RunEvent } from "./events.ts";
import { beginAnew, closeGroup, finishLane, laneFor, openGroup, refuse, startRound } from "./lanes.ts";
import { charge, chargeOf } from "./limits.ts";
import type { TerminalStatus } from "./reasons.ts";
import { goOn, park, restOf, restWithChild } from "./rest/park.ts";
import type { Lane, Progress, RunFacts, RunningState, RunState, StageResult } from "./state.ts";
import { transition } from "./transitions.ts";

/** The state after `run.created`. */
export function beginState(event: EventOf<"run.created">): RunState {
  return {
    status: "queued",
    facts: {
      run: event.run as RunId,
      origin: event.forked?.origin ?? event.run,
      plan: event.plan,
      params: event.params,
      createdAt: event.at,
      at: event.at,
      startedAt: event.at,
      restedMs: 0,
      round: 1,
      started: 0,
      consecutiveFailures: 0,
      failedRounds: 0,
      roundFailed: false,
      spawned: 0,
      turns: 0,
      stagnation: null,
      usage: NO_USAGE,
      overspent: null,
      degraded: false,
      tree: event.tree ?? null,
      base: event.base ?? event.tree ?? null,
      tainted: new Set(),
      visits: new Map(),
      results: new Map(),
      verified: null,
      escalated: false,
      allowed: new Set(),
      verdicts: new Map(),
      withheld: new Map(),
      merged: false,
      lastFailure: null,
    },
  };
}

/** Consumes `state`: its maps move into the result. */
export function evolve(plan: Plan, state: RunState, event: RunEvent): RunState {
  if (transition(state.status, event.type) === undefined) {
    throw new Error(`a run that is ${state.status} cannot have the event ${event.type}`);
  }
  // Time in which the run rested, or had no host, is not time it has taken.
  const rested = state.status === "waiting" || state.status === "paused" || event.type === "run.resumed";
  if (rested) state.facts.restedMs += event.at - state.facts.at;
  state.facts.at = event.at;
  if (event.type === "run.resumed") resume(state, event);
  // The table lets nothing happen after the end, so what has no progress has not started yet.
  if (!("progress" in state)) return start(plan, state, event);
  switch (state.status) {
    case "running":
      return evolveRunning(plan, state, event);
    case "waiting":
      return evolveWaiting(plan, state, event);
    case "paused":
      return evolvePaused(state, event);
  }
}

function start(plan: Plan, state: RunState, event: RunEvent): RunState {
  state.facts.startedAt = event.at;
  for (const place of plan.untrusted ?? []) state.facts.tainted.add(place);
  if (plan.limits.stagnation !== undefined) state.facts.stagnation = beginStagnation();
  const progress: Progress = { cursor: { to: plan.start, back: false }, lanes: new Map(), group: null };
  return { status: "running", facts: state.facts, progress, stopping: null, pausing: null };
}

/** Who goes on with a run, after a rest or as a fork of it, has looked at it; who takes it over from a lost host has not. */
function resume(state: RunState, { fork }: EventOf<"run.resumed">): void {
  const { facts } = state;
  if (fork !== undefined) facts.origin = fork;
  const isLooked = fork !== undefined || state.status === "paused" || isAsking(state);
  if (isLooked && facts.stagnation !== null) startAfresh(facts.stagnation);
}

/** What waits for a budget or a quota goes on by itself. */
function isAsking(state: RunState): boolean {
  return state.status === "waiting" && state.reason === "awaiting_approval";
}

function evolveRunning(plan: Plan, state: RunningState, event: RunEvent): RunState {
  const { facts, progress } = state;
  switch (event.type) {
    case "stage.started":
      startLane(facts, laneFor(plan, state, event.stage), event.attempt);
      return state;
    case "stage.finished":
      return finish(plan, state, event);
    case "stage.refused":
      return refuse(plan, state, event);
    case "stage.interrupted": {
      const lane = laneFor(plan, state, event.stage);
      lane.status = lane.leaf.effect === "once" ? "lost" : "ready";
      lane.readyAt = event.at;
      lane.leftTree = event.tree ?? null;
      beginAnew(lane);
      facts.usage = addUsage(facts.usage, event.usage ?? chargeOf(lane.leaf));
      // A child run tells when it ends.
      if (lane.leaf.kind !== "run") countTurns(plan, facts, lane.leaf, event.turns);
      return state;
    }
    case "stage.rested":
      return restWithChild(laneFor(plan, state, event.stage), state, event);
    case "stage.parked":
      return park(plan, state, event);
    case "stage.deferred":
      return defer(plan, state, event);
    case "group.opened":
      return openGroup(plan, state, event);
    case "group.closed":
      return closeGroup(plan, state, event.outcome);
    case "policy.denied":
      return { ...state, stopping: { reason: "policy_denied", detail: `${event.stage}: ${event.why}` } };
    case "budget.refused":
      laneFor(plan, state, event.stage).status = "ready";
      return { ...state, stopping: { reason: "budget_exhausted", detail: `${event.stage}: ${event.why}` } };
    case "run.degraded":
      return degrade(plan, state, event);
    case "approval.requested":
      return requested(plan, state, event);
    case "approval.reminded":
      return reminded(plan, state, event);
    case "approval.expired":
      return expired(plan, state, event);
    case "round.started":
      startRound(facts, event.round);
      return { ...state, progress: { ...progress, cursor: { to: event.stage, back: false } } };
    case "run.pausing":
      return { ...state, pausing: event.by };
    case "run.paused":
      return { status: "paused", facts, progress, by: event.by };
    case "run.waiting":
      return { status: "waiting", facts, progress, ...restOf(event), stopping: null };
    case "run.stopping":
      return { ...state, stopping: { reason: event.reason, detail: event.detail } };
    case "run.finished":
      return end(state, event);
    default:
      return state;
  }
}

/** An answer is good for one attempt. */
function startLane(facts: RunFacts, lane: Lane, attempt: number): void {
  lane.status = "running";
  lane.attempts = attempt;
  lane.granted = null;
  if (lane.deferral !== null) lane.deferral = { ...lane.deferral, allowed: false, denied: null };
  facts.started += 1;
  countSpawn(facts, lane);
}

function finish(plan: Plan, state: RunningState, event: EventOf<"stage.finished">): RunState {
  const { facts } = state;
  const lane = laneFor(plan, state, event.stage);
  charge(plan, facts, lane, event.usage);
  countSpawnsOf(plan, facts, lane.leaf, event.spawned);
  countTurns(plan, facts, lane.leaf, event.turns);
  return finishLane(plan, state, event.stage, resultOf(event), event.at);
}

function evolveWaiting(plan: Plan, state: Extract<RunState, { status: "waiting" }>, event: RunEvent): RunState {
  const { facts, progress } = state;
  switch (event.type) {
    case "approval.answered":
      return answered(plan, state, event);
    case "approval.reminded":
      return reminded(plan, state, event);
    case "approval.expired":
      return expired(plan, state, event);
    case "run.finished":
      return end(state, event);
    default:
      goOn(progress, event);
      return { status: "running", facts, progress, stopping: state.stopping, pausing: null };
  }
}

function evolvePaused(state: Extract<RunState, { status: "paused" }>, event: RunEvent): RunState {
  if (event.type === "run.finished") return end(state, event);
  const { facts, progress } = state;
  const { cursor } = progress;
  goOn(progress, event);
  // A pause that a route asked for goes on where the plan says.
  const next = "end" in cursor && cursor.resume !== undefined ? { ...progress, cursor: cursor.resume } : progress;
  return { status: "running", facts, progress: next, stopping: null, pausing: null };
}

function end(state: RunState, event: EventOf<"run.finished">): RunState {
  const { reason, detail } = event;
  return {
    status: event.status as TerminalStatus,
    facts: state.facts,
    reason,
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Objects of one shape, however the stage ended: a run makes one for each of its stages. */
function resultOf(event: EventOf<"stage.finished">): StageResult {
  const { outcome, cause, exit, error, output, log, artifacts, tree, content, session } = event;
  return { outcome, cause, exit, error, output, log, artifacts, tree, content, session };
}
