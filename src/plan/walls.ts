/** Which walls a plan and its children ask for: known before anything runs. */
import type { LeafStage, Plan, Wall } from "./plan.ts";

export function wallsOf(plan: Plan): readonly Wall[] {
  const leaves = plan.stages.flatMap((stage): readonly LeafStage[] =>
    stage.kind === "group" ? stage.members : [stage],
  );
  return [...leaves.flatMap((leaf) => ("wall" in leaf ? [leaf.wall] : [])), ...plan.children.flatMap(wallsOf)];
}

/** Whether a run of the plan works in a tree of its own. */
export function needsTree({ workspace }: Plan): boolean {
  return workspace !== null && workspace.kind !== "directory";
}

/** Whether an agent works in a run of the plan itself. */
export function hasAgents({ stages }: Plan): boolean {
  return stages.some((stage) =>
    stage.kind === "group" ? stage.members.some(({ kind }) => kind === "agent") : stage.kind === "agent",
  );
}
