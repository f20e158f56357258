/** Look-ups in a plan by stage path. Built once per plan: plans are frozen. */
import { fingerprint } from "../plan/fingerprint.ts";
import type { GroupStage, LeafStage, Plan, PlanStage } from "../plan/plan.ts";

interface PlanIndex {
  readonly stages: ReadonlyMap<string, PlanStage>;
  readonly children: ReadonlyMap<string, Plan>;
  /** The digest of all of it, once somebody has asked. */
  content: string | null;
}

const indexes = new WeakMap<Plan, PlanIndex>();

function indexOf(plan: Plan): PlanIndex {
  let index = indexes.get(plan);
  if (index === undefined) {
    index = {
      stages: new Map(plan.stages.map((stage) => [stage.id, stage])),
      children: new Map(plan.children.map((child) => [child.fingerprint, child])),
      content: null,
    };
    indexes.set(plan, index);
  }
  return index;
}

/** A stage that the plan names. That it is there is a law of the compiler, so a miss is a defect. */
export function stageOf(plan: Plan, id: string): PlanStage {
  const found = indexOf(plan).stages.get(id);
  if (found === undefined) throw new Error(`plan ${plan.fingerprint} has no stage "${id}"`);
  return found;
}

/** The fingerprint that the plan has by what is in it, whatever it says of itself. */
export function contentOf(plan: Plan): string {
  const index = indexOf(plan);
  index.content ??= fingerprint(plan);
  return index.content;
}

export function childOf(plan: Plan, fingerprint: string): Plan {
  const child = indexOf(plan).children.get(fingerprint);
  if (child === undefined) throw new Error(`plan ${plan.fingerprint} has no child ${fingerprint}`);
  return child;
}

/** Path of a member: `group[3]` in a fan-out, `group.member` in a parallel group. */
export function memberPath(group: GroupStage, position: number): string {
  return group.forEach === null ? `${group.id}.${memberOf(group, position).id}` : `${group.id}[${position}]`;
}

export function memberOf(group: GroupStage, position: number): LeafStage {
  const member = group.members[group.forEach === null ? position : 0];
  if (member === undefined) throw new Error(`group "${group.id}" has no member ${position}`);
  return member;
}
