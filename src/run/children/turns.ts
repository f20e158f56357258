/** Turns: calls to models, as the gateway has metered them, with those of child runs. Reserved before, counted after. */
import type { LeafStage, Plan } from "../../plan/plan.ts";
import { childOf } from "../plan-index.ts";
import type { Progress, RunFacts, Stopping } from "../state.ts";

/** The most calls of one attempt; of a child run, its worst case. A plan of an older version does not say. */
function mostTurns(plan: Plan, leaf: LeafStage): number {
  if (leaf.kind === "run") return childOf(plan, leaf.plan).bound.turns ?? 0;
  return leaf.kind === "command" || leaf.kind === "agent" ? (leaf.models?.calls ?? 0) : 0;
}

/** Whether an attempt may start, with the most calls that it and those under way may make reserved. */
export function turnLimit(plan: Plan, facts: RunFacts, { lanes }: Progress, leaf: LeafStage): Stopping | null {
  const { turns } = plan.limits;
  if (turns === undefined) return null;
  let most = mostTurns(plan, leaf);
  if (most === 0) return null;
  for (const lane of lanes.values())
    if (lane.status === "running" || lane.status === "resting") most += mostTurns(plan, lane.leaf);
  return facts.turns + most > turns ? { reason: "max_turns", detail: `limits.turns is ${turns}` } : null;
}

/** What an attempt has called; one that could not tell has called as often as it might have. */
export function countTurns(plan: Plan, facts: RunFacts, leaf: LeafStage, told: number | undefined): void {
  facts.turns += told ?? mostTurns(plan, leaf);
}
