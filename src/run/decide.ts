/**
 * decide: (plan, state, now) → what comes next. The whole of the scheduling; pure.
 *
 *   record     a fact that follows from what is known
 *   authorize  a leaf stage wants to start: policy is asked, then its INTENT is recorded
 *   wait       nothing to do until an effect ends, a person acts, or `until` comes
 *   rest       the run has ended, or rests until a person acts or a time comes: its host lets go of it
 */
import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";
import type { GroupStage, LeafStage, Plan, Target } from "../plan/plan.ts";
import { askAboutCall } from "./approval/deferred-call.ts";
import { dueFact, dueTimes, openLanes } from "./approval/due.ts";
import { isAnswered, isStale, judgementFact } from "./approval/judgement.ts";
import { ask } from "./approval/question.ts";
import { isAboveReport } from "./budget/ceiling.ts";
import { spawnLimit } from "./children/spawns.ts";
import { turnLimit } from "./children/turns.ts";
import type { ActingStage } from "./effect/effect.ts";
import type { Fact } from "./events.ts";
import { finishFact } from "./finish.ts";
import { openingFact } from "./group.ts";
import { isGate } from "./lanes.ts";
import { costOf, enterLimit, reachedLimit, roundLimit, startLimit, wallDeadline } from "./limits.ts";
import { stageOf } from "./plan-index.ts";
import { REASONS } from "./reasons.ts";
import { restFact } from "./rest/park.ts";
import type { Lane, RunningState, RunState, Stopping } from "./state.ts";

/** A leaf stage that may start, as far as the run's own laws go. */
export interface Start extends Beginning {
  readonly leaf: ActingStage;
}

interface Beginning {
  readonly path: string;
  readonly leaf: LeafStage;
  readonly position: number;
  readonly visit: number;
  readonly attempt: number;
  readonly failures: number;
  readonly granted: string | null;
  readonly refusal: Lane["refusal"];
  readonly tree: string | null;
  readonly deferral: Lane["deferral"];
}

/** Whether every gate's latest verdict is a pass, and the last process that judged saw exactly the tree that the run holds. */
export function isVerified({ tree, verified, verdicts }: RunningState["facts"]): boolean {
  return tree !== null && tree === verified?.tree && [...verdicts.values()].every((verdict) => verdict === "pass");
}

export type Decision =
  | { readonly kind: "record"; readonly fact: Fact }
  | { readonly kind: "authorize"; readonly start: Start; readonly state: RunningState; readonly now: number }
  | { readonly kind: "wait"; readonly until: number | null }
  | { readonly kind: "rest" };

export function decide(plan: Plan, state: RunState, now: number): Decision {
  switch (state.status) {
    case "queued":
      return record({ type: "run.started" });
    case "running":
      return decideRunning(plan, state, now);
    default:
      return { kind: "rest" };
  }
}

function decideRunning(plan: Plan, state: RunningState, now: number): Decision {
  const { facts, progress } = state;
  const busy = runningLanes(state) > 0;
  if (state.stopping !== null) {
    const { reason, detail } = state.stopping;
    return busy ? waitFor(null) : record({ type: "run.finished", status: REASONS[reason], reason, detail });
  }
  if ("end" in progress.cursor) return record(finishFact(plan, facts, progress.cursor));
  const { to } = progress.cursor;
  if (facts.degraded && isAboveReport(plan, to))
    return busy ? waitFor(wallDeadline(plan, facts)) : record(finishFact(plan, facts, { end: "done", cut: to }));
  const limit = reachedLimit(plan, facts, now);
  if (limit !== null) return stop(limit);
  if (state.pausing !== null)
    return busy ? waitFor(wallDeadline(plan, facts)) : record({ type: "run.paused", by: state.pausing });
  return decideStage(plan, state, progress.cursor, now);
}

function decideStage(plan: Plan, state: RunningState, cursor: Extract<Target, { to: string }>, now: number): Decision {
  const { facts, progress } = state;
  if (cursor.back) {
    const limit = roundLimit(plan, facts, stageOf(plan, cursor.to));
    return limit === null ? record({ type: "round.started", round: facts.round + 1, stage: cursor.to }) : stop(limit);
  }
  const stage = stageOf(plan, cursor.to);
  if (progress.lanes.size === 0 && progress.group === null) {
    const limit = enterLimit(plan, facts, stage);
    if (limit !== null) return stop(limit);
    const visit = (facts.visits.get(stage.id) ?? 0) + 1;
    if (stage.kind === "group") return record(openingFact(stage, facts, visit));
    const fresh = { position: 0, visit, attempt: 1, failures: 0, granted: null, refusal: null, deferral: null };
    return begin(plan, state, { path: stage.id, leaf: stage, ...fresh, tree: facts.tree }, now);
  }
  return stage.kind === "group" ? decideGroup(plan, state, stage, now) : decideLanes(plan, state, 1, false, now);
}

function decideGroup(plan: Plan, state: RunningState, group: GroupStage, now: number): Decision {
  const lanes = [...state.progress.lanes.values()];
  const failed = lanes.some((lane) => lane.status === "done" && !isGood(lane));
  const closing = failed && group.failFast;
  const open = lanes.some((lane) => lane.status !== "done" && !(closing && isUntried(lane)));
  if (!open) return record({ type: "group.closed", stage: group.id, outcome: failed ? "failure" : "success" });
  return decideLanes(plan, state, group.maxParallel, closing, now);
}

/** Starts the first lane that may start; else says what to wait for. `closing`: lanes that never started stay so. */
function decideLanes(plan: Plan, state: RunningState, maxParallel: number, closing: boolean, now: number): Decision {
  const running = runningLanes(state);
  // Most often one stage is under way, and there is nothing else to look at.
  if (running === state.progress.lanes.size) return waitFor(wallDeadline(plan, state.facts));
  const lanes = [...state.progress.lanes.values()];
  const unsure = lanes.find(({ status }) => status === "lost" || status === "deferred");
  if (unsure !== undefined) return record(askAbout(plan, state, unsure, now));
  const asking = openLanes(state.progress);
  const due = asking.flatMap((lane) => dueFact(lane, now) ?? []);
  const [over] = due.filter(({ type }) => type === "approval.expired");
  if (over !== undefined) return record(over);
  // What a gate beside it has made of the tree was shown to nobody.
  const stale = asking.find((lane) => isStale(plan, state.facts, lane));
  if (stale !== undefined) return begin(plan, state, { ...stale, attempt: 1 }, now);
  const ready = lanes.filter((lane) => mayStart(lane) && !(closing && isUntried(lane)));
  const next = running < maxParallel ? ready.find((lane) => lane.readyAt <= now) : undefined;
  if (next !== undefined) return begin(plan, state, { ...next, attempt: next.attempts + 1 }, now);
  if (due[0] !== undefined) return record(due[0]);
  // A backoff is waited for; for what was refused for now nobody needs to stay.
  if (running === 0 && ready.every(({ status }) => status === "parked")) return record(restFact(lanes));
  const moments = [...dueTimes(asking), ...(running < maxParallel ? ready.map((lane) => lane.readyAt) : [])];
  const deadline = wallDeadline(plan, state.facts);
  if (deadline !== null) moments.push(deadline);
  return waitFor(moments.length === 0 ? null : Math.min(...moments));
}

function begin(plan: Plan, state: RunningState, start: Beginning, now: number): Decision {
  const { leaf } = start;
  // A question counted when it was asked; its answer starts nothing.
  const isOver = leaf.kind === "approval" && isAnswered(start);
  const limit = isOver ? null : startLimits(plan, state, start);
  if (limit !== null) return stop(limit);
  if (leaf.kind === "approval") return record(judgementFact(plan, state.facts, leaf, start, now));
  return { kind: "authorize", start: start as Start, state, now };
}

function startLimits(plan: Plan, state: RunningState, { path, leaf }: Beginning): Stopping | null {
  const { facts, progress } = state;
  return (
    startLimit(plan, facts, reservedBy(plan, state), costOf(plan, leaf)) ??
    spawnLimit(plan, facts, progress, path, leaf) ??
    turnLimit(plan, facts, progress, leaf)
  );
}

/** What the lanes under way may still spend. */
function reservedBy(plan: Plan, state: RunningState): Usage {
  let sum = NO_USAGE;
  for (const lane of state.progress.lanes.values())
    if (lane.status === "running" || lane.status === "resting") sum = addUsage(sum, costOf(plan, lane.leaf));
  return sum;
}

function askAbout(plan: Plan, state: RunningState, lane: Lane, now: number): Fact {
  return lane.status === "lost" ? askAboutLoss(plan, state, lane, now) : askAboutCall(plan, state.facts, lane, now);
}

/** The attempt of a `once` stage was lost: only a person can say whether its effect happened. */
function askAboutLoss(plan: Plan, { facts }: RunningState, lane: Lane, now: number): Fact {
  const answers = isGate(lane.leaf) ? ["again", "failed"] : ["again", "done", "failed"];
  const why = `attempt ${lane.attempts} of "${lane.path}" was cut off and its effect may have happened`;
  const place = { ...lane, attempt: lane.attempts };
  return ask(plan, facts, { place, request: null, kind: "interrupted", why, answers }, now);
}

function runningLanes(state: RunningState): number {
  let count = 0;
  for (const lane of state.progress.lanes.values()) if (lane.status === "running") count += 1;
  return count;
}

function mayStart({ status }: Lane): boolean {
  return status === "ready" || status === "parked";
}

/** Nothing of it has begun, also when a person was asked about it. */
function isUntried(lane: Lane): boolean {
  return lane.attempts === 0 && (lane.status === "ready" || lane.status === "asking");
}

function isGood(lane: Lane): boolean {
  const outcome = lane.result?.outcome;
  return outcome === "success" || outcome === "pass" || outcome === "accept";
}

function record(fact: Fact): Decision {
  return { kind: "record", fact };
}

function stop(stopping: Stopping): Decision {
  return record({ type: "run.stopping", ...stopping });
}

function waitFor(until: number | null): Decision {
  return { kind: "wait", until };
}
