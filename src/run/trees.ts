/** What the stages of a run made of its workspace: read from its journal alone. */
import type { Plan } from "../plan/plan.ts";
import type { RunEvent } from "./events.ts";
import { beginState, evolve } from "./evolve.ts";
import type { Lane, RunningState, RunState } from "./state.ts";

export interface StageTrees {
  readonly stage: string;
  readonly attempt: number;
  /** What the workspace held when the attempt began, and when it had ended. */
  readonly from: string;
  readonly to: string;
}

export interface RunTrees {
  /** What the run started from. */
  readonly base: string;
  /** What its workspace held after its latest stage. */
  readonly last: string;
  /** Attempts that may have changed something, in the order they ended; lost ones too. */
  readonly stages: readonly StageTrees[];
}

/** null: the run has no workspace of its own. */
export function treesOf(plan: Plan, events: readonly RunEvent[]): RunTrees | null {
  const [created, ...rest] = events;
  if (created?.type !== "run.created" || created.tree === undefined) return null;
  const stages: StageTrees[] = [];
  let state: RunState = beginState(created);
  for (const event of rest) {
    const left = leftBy(state, event);
    if (left !== null) stages.push(left);
    state = evolve(plan, state, event);
  }
  // A run that began with a tree has one at every moment.
  return { base: created.tree, last: state.facts.tree as string, stages };
}

/** What the attempt that ends with this event made of its tree; null: none ends here, or it may not write. */
function leftBy(state: RunState, event: RunEvent): StageTrees | null {
  if (event.type !== "stage.finished" && event.type !== "stage.interrupted") return null;
  if (event.tree === undefined) return null;
  // Only an attempt under way ends, and it has a lane.
  const { tree } = (state as RunningState).progress.lanes.get(event.stage) as Lane;
  return { stage: event.stage, attempt: event.attempt, from: tree as string, to: event.tree };
}

const BEGINNINGS: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "stage.started",
  "stage.refused",
  "group.opened",
  "policy.denied",
  "approval.requested",
]);

/** Everything that happened before the stage began for the first time, without the creation of the run; null: it never began. */
export function historyBefore(events: readonly RunEvent[], stage: string): readonly RunEvent[] | null {
  // Members of a group begin with it: a part of a group cannot be gone on from.
  const whole = stage.replace(/[.[].*$/, "");
  const begin = events.findIndex((event) => BEGINNINGS.has(event.type) && "stage" in event && event.stage === whole);
  return begin < 0 ? null : events.slice(1, begin);
}
