/**
 * Parking: an attempt that was refused for now is no failure. It counts for nothing, and its lane is tried again when its time has come.
 * It ends all the same: a lane that is refused too often has failed.
 */
import { addUsage } from "../../base/usage.ts";
import type { Plan } from "../../plan/plan.ts";
import { countTurns } from "../children/turns.ts";
import type { EventOf, Fact, Parked, RunEvent } from "../events.ts";
import { beginAnew, finishLane, laneFor } from "../lanes.ts";
import { chargeOf } from "../limits.ts";
import type { Lane, Progress, RunningState, RunState } from "../state.ts";

/** So often may one visit of a stage be refused before that is a failure. */
export const MOST_PARKS = 60;
const FIRST_WAIT_MS = 60_000;
/** Below this a named instant is not believed a second time; it doubles with each further refusal. */
const FIRST_FLOOR_MS = 1000;
const LONGEST_WAIT_MS = 3_600_000;

export function park(plan: Plan, state: RunningState, event: EventOf<"stage.parked">): RunningState {
  const lane = laneFor(plan, state, event.stage);
  const { facts } = state;
  facts.usage = addUsage(facts.usage, event.usage ?? chargeOf(lane.leaf));
  countTurns(plan, facts, lane.leaf, event.turns);
  lane.parks += 1;
  beginAnew(lane);
  if (lane.parks > MOST_PARKS) {
    const { why: error, log, tree } = event;
    return finishLane(plan, state, event.stage, { outcome: "failure", cause: "parked", error, log, tree }, event.at);
  }
  const { reason, target, tree } = event;
  const until = timeFor(lane.parks, event);
  facts.started -= 1;
  lane.status = "parked";
  lane.parked = { reason, until, ...(target === undefined ? {} : { target }) };
  lane.readyAt = until;
  lane.leftTree = tree ?? null;
  return state;
}

/**
 * A named instant counts exactly, and one that has come at once. A provider that always names one too early is not hammered: after
 * each further refusal of the visit the least wait is twice as long.
 */
function timeFor(parks: number, { at, until }: EventOf<"stage.parked">): number {
  const grow = (firstMs: number, times: number): number => at + Math.min(LONGEST_WAIT_MS, firstMs * 2 ** times);
  if (until === null) return grow(FIRST_WAIT_MS, parks - 1);
  return Math.max(until, parks === 1 ? at : grow(FIRST_FLOOR_MS, parks - 2));
}

/** The stage rests with its child run; where that was refused for now, beginning again with it counts for nothing. */
export function restWithChild(lane: Lane, state: RunningState, { parked }: EventOf<"stage.rested">): RunningState {
  lane.status = "resting";
  lane.parked = parked ?? null;
  if (parked === undefined) return state;
  lane.readyAt = parked.until;
  state.facts.started -= 1;
  return state;
}

/** Nothing is under way and nothing may start: what the run rests for, and until when. */
export function restFact(lanes: readonly Lane[]): Fact {
  let next: Parked | null = null;
  for (const { status, parked } of lanes) {
    if (parked === null || (status !== "parked" && status !== "resting")) continue;
    if (next === null || parked.until < next.until) next = parked;
  }
  return { type: "run.waiting", ...(next ?? { reason: "awaiting_approval" }) };
}

/** The same, as the state of a run that waits. */
export function restOf({ reason, until, target }: EventOf<"run.waiting">): Rest {
  return { reason, until: until ?? null, target: target ?? null };
}

type Rest = Pick<Extract<RunState, { status: "waiting" }>, "reason" | "until" | "target">;

/** Stages whose child run rested go on with it; what a person does not want to wait for is tried at once. */
export function goOn(progress: Progress, event: RunEvent): void {
  const isEarly = event.type === "run.resumed" && event.early === true;
  for (const lane of progress.lanes.values()) {
    if (lane.status === "resting" || (lane.status === "parked" && isEarly)) lane.readyAt = event.at;
    if (lane.status === "resting") lane.status = "ready";
  }
}
