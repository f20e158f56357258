/** What a run itself has cost: each attempt once, one that was lost at what it may have spent. What a fork retells cost another run. */
import type { Usage } from "../../base/usage.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EventOf, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import { laneFor } from "../lanes.ts";
import type { RunningState, RunState } from "../state.ts";

/** The action that puts a change on a branch of the user. */
export const MERGE = "git.merge";

export interface RunOutlay {
  /** With that of its child runs. */
  readonly usage: Usage;
  /** Changes that it merged; those of child runs are told by their journals. */
  readonly merged: number;
  /** Child runs that were started and have ended. */
  readonly children: readonly string[];
}

interface Tally {
  merged: number;
  children: Set<string>;
}

/** The first event must be that of the creation. */
export function outlayOf(plan: Plan, events: readonly RunEvent[]): RunOutlay {
  const [created, ...rest] = events;
  if (created?.type !== "run.created") throw new Error(`a journal begins with ${created?.type ?? "nothing"}`);
  let state: RunState = beginState(created);
  let retold = state.facts.usage;
  let tally: Tally = { merged: 0, children: new Set() };
  for (const event of rest) {
    if (event.type === "stage.finished") count(tally, plan, state as RunningState, event);
    state = evolve(plan, state, event);
    if (event.type === "run.resumed" && event.fork !== undefined) {
      retold = state.facts.usage;
      tally = { merged: 0, children: new Set() };
    }
  }
  const { tokens, microUsd } = state.facts.usage;
  const usage = { tokens: tokens - retold.tokens, microUsd: microUsd - retold.microUsd };
  return { usage, merged: tally.merged, children: [...tally.children] };
}

/** Only a stage under way ends, so the state before the event is that of a running run. */
function count(tally: Tally, plan: Plan, state: RunningState, event: EventOf<"stage.finished">): void {
  const { stage, outcome, child } = event;
  const { leaf } = laneFor(plan, state, stage);
  if (outcome === "success" && leaf.kind === "action" && leaf.action === MERGE) tally.merged += 1;
  if (child !== undefined) tally.children.add(child);
}
