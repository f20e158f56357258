/** Child runs: how many a run may begin, with all that they begin. Reserved before, counted after, as their plans and ends tell. */
import type { LeafStage, Plan, RunStage } from "../../plan/plan.ts";
import { childOf } from "../plan-index.ts";
import type { Lane, Progress, RunFacts, Stopping } from "../state.ts";

/** Whether the child run of a leaf may begin: so deep, and with the most that it may begin itself reserved. */
export function spawnLimit(
  plan: Plan,
  facts: RunFacts,
  { lanes }: Progress,
  path: string,
  leaf: LeafStage,
): Stopping | null {
  if (leaf.kind !== "run") return null;
  const { depth, spawns } = plan.limits;
  if (depth === 0) return { reason: "dispatch_depth", detail: `limits.depth lets "${path}" start no child run` };
  if (spawns === undefined) return null;
  const lane = lanes.get(path);
  // An attempt that was cut off goes on with the child that it had.
  const own = lane !== undefined && hasChild(lane) ? 0 : 1;
  let open = spawnsOf(plan, leaf);
  for (const other of lanes.values()) if (other.path !== path && hasChild(other)) open += spawnsOf(plan, other.leaf);
  return facts.spawned + own + open > spawns ? { reason: "max_spawns", detail: `limits.spawns is ${spawns}` } : null;
}

/** Its newest child run has not told yet what it has begun. */
function hasChild(lane: Lane): lane is Lane & { readonly leaf: RunStage } {
  const { leaf, status, spawned, failures } = lane;
  return leaf.kind === "run" && status !== "done" && spawned > failures;
}

/** The most child runs that a child run can begin, with all below it. A plan of an older version does not say. */
function spawnsOf(plan: Plan, leaf: RunStage): number {
  return childOf(plan, leaf.plan).bound.spawns ?? 0;
}

/** A child run is new after a failure, and the same after an interruption or a rest. */
export function countSpawn(facts: RunFacts, lane: Lane): void {
  if (lane.leaf.kind !== "run" || lane.spawned > lane.failures) return;
  lane.spawned = lane.failures + 1;
  facts.spawned += 1;
}

/** What a child run has begun; one that could not tell counts as its worst case. */
export function countSpawnsOf(plan: Plan, facts: RunFacts, leaf: LeafStage, told: number | undefined): void {
  if (leaf.kind === "run") facts.spawned += told ?? spawnsOf(plan, leaf);
}
