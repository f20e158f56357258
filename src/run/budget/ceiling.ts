/**
 * The ceiling: when most of a cap is spent a run may only report (L1) from there on. It ends before the next stage that needs more, as a
 * run at that level ends.
 */
import type { Level } from "../../blueprint/blueprint.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EventOf } from "../events.ts";
import { laneFor, wayNow } from "../lanes.ts";
import type { RunFacts, RunningState } from "../state.ts";

/** How far the run may go from here on. */
export function levelNow(plan: Plan, { degraded }: RunFacts): Level {
  return degraded && plan.level !== "L0" ? "L1" : plan.level;
}

/** Whether the stage of a path needs more than L1. A group needs what its members need. */
export function isAboveReport(plan: Plan, path: string): boolean {
  const [id = path] = path.split(/[.[]/, 1);
  return plan.above?.includes(id) ?? false;
}

/** What has not begun, and must not any more, is not under way. */
export function degrade(plan: Plan, state: RunningState, { stage }: EventOf<"run.degraded">): RunningState {
  const { facts, progress } = state;
  facts.degraded = true;
  if (!isAboveReport(plan, stage)) return state;
  const cursor = wayNow(progress.cursor, facts);
  if (cursor !== progress.cursor) return { ...state, progress: { cursor, lanes: new Map(), group: null } };
  laneFor(plan, state, stage).status = "ready";
  return state;
}
