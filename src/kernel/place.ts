/** Which workspace a stage works in: that of the run, or one of its own when it is a member of a group that may write. */
import type { RunId } from "../base/ids.ts";
import type { LeafStage, Plan } from "../plan/plan.ts";
import type { Place } from "../ports/workspaces.ts";

export interface Worker {
  readonly run: RunId;
  /** Path of the member; null: the stage is no member of a group. */
  readonly member: string | null;
  readonly tree: string | null;
  readonly leaf: LeafStage;
}

/** null: the stage needs no workspace. */
export function placeOf(plan: Plan, { run, member, tree, leaf }: Worker): Place | null {
  // A gate works in a checkout, which is thrown away.
  if ((leaf.kind !== "command" && leaf.kind !== "agent") || plan.workspace === null || tree === null) return null;
  return { run, member: canWrite(leaf) ? member : null, spec: plan.workspace };
}

/** Whether it can leave something in its workspace. */
export function canWrite(leaf: LeafStage): boolean {
  return (leaf.kind === "command" || leaf.kind === "agent") && leaf.wall.sandbox !== "read_only";
}
