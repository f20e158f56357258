/** Lanes: how the leaf stages under way begin, end and hand over to the next stage. Part of `evolve`. */
import type { LeafStage, Plan, Target } from "../plan/plan.ts";
import { backoffMs } from "./backoff.ts";
import { noteTaint } from "./effect/taint.ts";
import type { Cause, EventOf } from "./events.ts";
import { memberOf, memberPath, stageOf } from "./plan-index.ts";
import { type VisitEnd, watchVisit } from "./stagnation/watch.ts";
import type { Lane, Progress, RunFacts, RunningState, RunState, StageResult } from "./state.ts";

type Underway = Extract<RunState, { progress: Progress }>;

/** The lane of a path; a leaf at the cursor gets its lane, and counts as visited, with its first event. */
export function laneFor(plan: Plan, state: Underway, path: string): Lane {
  const { facts, progress } = state;
  const known = progress.lanes.get(path);
  if (known !== undefined) return known;
  const leaf = stageOf(plan, path);
  if (leaf.kind === "group") throw new Error(`"${path}" is a group, not a leaf stage`);
  const lane = newLane(path, leaf, 0, visitNext(facts, path), facts.tree);
  progress.lanes.set(path, lane);
  return lane;
}

function newLane(path: string, leaf: Lane["leaf"], position: number, visit: number, tree: string | null): Lane {
  return {
    path,
    leaf,
    position,
    visit,
    status: "ready",
    attempts: 0,
    failures: 0,
    readyAt: 0,
    parks: 0,
    parked: null,
    question: null,
    granted: null,
    refusal: null,
    result: null,
    tree,
    leftTree: null,
    spawned: 0,
    deferral: null,
  };
}

function visitNext(facts: RunFacts, id: string): number {
  const visit = (facts.visits.get(id) ?? 0) + 1;
  facts.visits.set(id, visit);
  return visit;
}

export function openGroup(plan: Plan, state: RunningState, event: EventOf<"group.opened">): RunningState {
  const { facts, progress } = state;
  const group = stageOf(plan, event.stage);
  if (group.kind !== "group") throw new Error(`"${event.stage}" is not a group`);
  visitNext(facts, event.stage);
  // A group without members starts nothing, yet must not go round for ever either.
  if (event.members === 0) facts.started += 1;
  for (let position = 0; position < event.members; position += 1) {
    const path = memberPath(group, position);
    progress.lanes.set(path, newLane(path, memberOf(group, position), position, event.visit, facts.tree));
  }
  return { ...state, progress: { ...progress, group: { stage: event.stage, items: event.items ?? null } } };
}

/** A stage that could not begin has failed without an effect. It counts as started, or refusals could go round for ever. */
export function refuse(plan: Plan, state: RunningState, event: EventOf<"stage.refused">): RunningState {
  const result: StageResult = { outcome: "failure", cause: "invalid_input", error: event.error };
  const { facts, progress } = state;
  facts.started += 1;
  const isGroup = progress.group === null && stageOf(plan, event.stage).kind === "group";
  if (!isGroup) return finishLane(plan, state, event.stage, result, event.at);
  visitNext(facts, event.stage);
  facts.consecutiveFailures += 1;
  facts.lastFailure = { stage: event.stage, cause: "invalid_input", error: event.error };
  return leaveStage(plan, state, event.stage, result);
}

export function closeGroup(plan: Plan, state: RunningState, outcome: string): RunningState {
  const { progress } = state;
  const id = progress.group?.stage ?? "";
  const ends = [...progress.lanes.values()].map((lane) => lane.result);
  const output = ends.map((end) => end?.output ?? null);
  const cause = outcome === "success" ? "ok" : "child";
  const failed = ends.find((end) => end !== null && !isGood(end.outcome));
  return leaveStage(plan, state, id, { outcome, cause, output }, { error: failed?.error });
}

/** Ends an attempt. The lane is tried again while it has attempts left; else its stage is left by its outcome. */
export function finishLane(
  plan: Plan,
  state: RunningState,
  path: string,
  result: StageResult,
  at: number,
): RunningState {
  const { facts, progress } = state;
  const lane = laneFor(plan, state, path);
  const from = facts.tree;
  const gates = isGate(lane.leaf);
  const kept = gates ? verdictOf(result) : result;
  if (isGood(kept.outcome) || hasAnswered(lane.leaf, kept)) facts.consecutiveFailures = 0;
  else if (failAttempt(facts, lane, kept, at)) return state;
  lane.status = "done";
  lane.result = kept;
  noteTaint(facts, progress, lane, kept);
  if (gates) judge(facts, lane, kept);
  facts.merged ||= isMerge(lane.leaf) && isGood(kept.outcome);
  // A member has a workspace of its own; what it left there is not merged into the run's.
  if (progress.group !== null) return state;
  if (!gates) facts.tree = kept.tree ?? facts.tree;
  return leaveStage(plan, state, path, kept, { from });
}

/**
 * What a gate has judged is what the run goes on with: the tree of the run with its protected paths as they were at the
 * beginning. Only a process is evidence from outside; a look at the change verifies nothing, and neither does a person, except
 * where a gate has asked for one.
 */
function judge(facts: RunFacts, lane: Lane, { outcome, tree }: StageResult): void {
  const { path, leaf } = lane;
  const isWithheld =
    leaf.kind === "inspection" && leaf.by === "merge" && (outcome === "fail" || outcome === "escalate");
  const [to, from] = isWithheld ? [facts.withheld, facts.verdicts] : [facts.verdicts, facts.withheld];
  to.set(path, outcome);
  from.delete(path);
  if (lane.leaf.kind === "approval" && outcome === "pass") settleEscalations(facts, lane.tree);
  if (lane.leaf.kind !== "gate") return;
  facts.escalated = outcome === "escalate";
  facts.verified = outcome === "pass" ? { tree: tree ?? lane.tree } : null;
  facts.tree = facts.verified?.tree ?? facts.tree;
}

/** A person has looked at exactly this tree, as the gates that escalated have asked. */
function settleEscalations(facts: RunFacts, tree: string | null): void {
  for (const [path, verdict] of facts.verdicts) if (verdict === "escalate") facts.verdicts.set(path, "pass");
  for (const [path, verdict] of [...facts.withheld]) {
    if (verdict !== "escalate") continue;
    facts.withheld.delete(path);
    facts.verdicts.set(path, "pass");
  }
  if (facts.escalated) facts.verified = { tree };
  facts.escalated = false;
}

/** The first stage that fails makes the round a failed one. */
function failRound(facts: RunFacts): void {
  if (!facts.roundFailed) facts.failedRounds += 1;
  facts.roundFailed = true;
}

/** Only a round in which everything ended well ends a row of failed ones. */
export function startRound(facts: RunFacts, round: number): void {
  if (!facts.roundFailed) facts.failedRounds = 0;
  facts.roundFailed = false;
  facts.round = round;
}

/** What puts a change where others build on it. */
const MERGES: ReadonlySet<string> = new Set(["git.merge", "merge.queue"]);

function isMerge(leaf: LeafStage): boolean {
  return leaf.kind === "action" && MERGES.has(leaf.action);
}

export function isGate({ kind }: LeafStage): boolean {
  return kind === "gate" || kind === "inspection" || kind === "approval";
}

/** Counts a failed attempt. True: the lane has another one, when its backoff is over and, if need be, a person has answered. */
function failAttempt(facts: RunFacts, lane: Lane, { outcome, cause, error, tree }: StageResult, at: number): boolean {
  lane.failures += 1;
  lane.leftTree = tree ?? null;
  beginAnew(lane);
  facts.consecutiveFailures += 1;
  facts.lastFailure = { stage: lane.path, cause, ...(error === undefined ? {} : { error }) };
  const isFinal =
    outcome === "escalate" ||
    outcome === "empty" ||
    cause === "invalid_input" ||
    FINAL.has(cause) ||
    lane.failures >= lane.leaf.maxAttempts;
  if (isFinal) return false;
  lane.status = lane.leaf.effect === "once" && MAY_HAVE_HAPPENED.has(cause) ? "lost" : "ready";
  lane.readyAt = at + backoffMs(lane.leaf.backoff, lane.failures);
  return true;
}

/** What comes next is another attempt: it goes on from nothing that one before it has left. */
export function beginAnew(lane: Lane): void {
  if (lane.deferral === null) return;
  lane.tree = lane.deferral.from;
  lane.deferral = null;
}

function isGood(outcome: string): boolean {
  return outcome === "success" || outcome === "pass" || outcome === "accept";
}

/** An agent that gave one of its answers has done its work, whatever it is: nothing is tried again. */
function hasAnswered({ kind }: LeafStage, { outcome }: StageResult): boolean {
  return kind === "agent" && outcome !== "failure";
}

/** Ends after which another attempt would only end the same way. */
const FINAL: ReadonlySet<Cause> = new Set<Cause>(["circuit_open", "budget", "auth", "denied"]);

/** Ends that do not say whether the effect happened: only a person can allow a `once` stage another attempt. */
const MAY_HAVE_HAPPENED: ReadonlySet<Cause> = new Set<Cause>([
  "signal",
  "timeout",
  "stall",
  "oom",
  "killed",
  "invalid_output",
  "defect",
]);

/** A gate that could not begin, or that a person called failed, has failed like any other. */
function verdictOf(result: StageResult): StageResult {
  return result.outcome === "failure" ? { ...result, outcome: "fail" } : result;
}

/** Where a route leads a run that may only report. */
export function wayNow(target: Target, { degraded }: RunFacts): Target {
  return degraded && "to" in target && target.below !== undefined ? target.below : target;
}

/** Moves the cursor along the route of the outcome. */
function leaveStage(
  plan: Plan,
  state: RunningState,
  id: string,
  result: StageResult,
  seen: Pick<VisitEnd, "error" | "from"> = {},
): RunningState {
  const { lanes } = state.progress;
  lanes.clear();
  const stage = stageOf(plan, id);
  const { facts, stopping, pausing } = state;
  const cursor = wayNow(stage.routes[result.outcome] ?? { end: "fail" }, facts);
  const good = isGood(result.outcome);
  // A failure that the plan has dealt with is not why the run ends.
  if (good) facts.lastFailure = null;
  else failRound(facts);
  if (facts.stagnation !== null) {
    const { error, from } = seen;
    watchVisit(plan, facts.stagnation, stage, { good, result, before: facts.results.get(id), error, from });
  }
  facts.results.set(id, result);
  return { status: "running", facts, progress: { cursor, lanes, group: null }, stopping, pausing };
}
