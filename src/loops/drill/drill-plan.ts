/** The plan of a drill: the gates of another plan, one after the other, and nothing else. What was planted is the work they judge. */
import { references } from "../../base/expression.ts";
import type { Judge } from "../../blueprint/blueprint.ts";
import { worstCase } from "../../plan/bound.ts";
import { seal } from "../../plan/fingerprint.ts";
import type { GateStage, InspectionStage, LeafStage, Plan, PlanLimits, PlanStage, Target } from "../../plan/plan.ts";
import { leafExpressions } from "../../plan/routes.ts";
import type { Untried } from "./plant.ts";

export interface DrillPlan {
  /** null: there is no gate that can be drilled. */
  readonly plan: Plan | null;
  /** The same, content when nothing gets worse; null: its demands are that already. */
  readonly relaxed: Plan | null;
  /** Gates that are not part of it. */
  readonly untried: readonly Untried[];
  /** Gates where a person would be asked. */
  readonly approvals: readonly string[];
}

type Judging = GateStage | InspectionStage;

const NO_LIMITS: PlanLimits = {
  stages: null,
  wallMs: null,
  rounds: null,
  consecutiveFailures: null,
  tokens: null,
  microUsd: null,
};

export function leavesOf({ stages }: Plan): readonly LeafStage[] {
  return stages.flatMap((stage): readonly LeafStage[] => (stage.kind === "group" ? stage.members : [stage]));
}

export function drillPlan(plan: Plan): DrillPlan {
  return gatesOf(plan, plan.stages.flatMap(named));
}

/** The same without what looks at the change itself: for a tree that several changes have led to. */
export function judgingPlan(plan: Plan): DrillPlan {
  return gatesOf(
    plan,
    plan.stages.flatMap(named).filter(({ leaf }) => leaf.kind !== "inspection"),
  );
}

function gatesOf(plan: Plan, leaves: readonly Named[]): DrillPlan {
  const approvals = leaves.flatMap(({ leaf, id }) => (leaf.kind === "approval" ? [id] : []));
  const { kept, untried } = keep(leaves);
  const relaxed = kept.map(relax);
  const isRelaxed = relaxed.some((gate, at) => gate !== kept[at]);
  return {
    plan: kept.length === 0 ? null : planOf(plan, kept),
    relaxed: isRelaxed ? planOf(plan, relaxed) : null,
    untried,
    approvals,
  };
}

function keep(leaves: readonly Named[]): { readonly kept: readonly Judging[]; readonly untried: readonly Untried[] } {
  const kept: Judging[] = [];
  const untried: Untried[] = [];
  for (const { leaf, id } of leaves) {
    if (leaf.kind === "run") untried.push({ what: id, why: "the gates of a child run are those of another blueprint" });
    if (leaf.kind !== "gate" && leaf.kind !== "inspection") continue;
    const needed = neededBy(leaf, kept);
    if (needed === null) kept.push({ ...leaf, id });
    else untried.push({ what: id, why: `it needs ${needed}, which is not there without the work before it` });
  }
  return { kept, untried };
}

interface Named {
  readonly leaf: LeafStage;
  readonly id: string;
}

/** A member of a group stands for itself, under both names. */
function named(stage: PlanStage): readonly Named[] {
  if (stage.kind !== "group") return [{ leaf: stage, id: stage.id }];
  return stage.members.map((leaf) => ({ leaf, id: `${stage.id}-${leaf.id}` }));
}

/** What the gate refers to and no gate before it gives; null: nothing. */
function neededBy(leaf: Judging, kept: readonly Judging[]): string | null {
  const known = new Set(kept.map(({ id }) => id));
  const refs = leafExpressions(leaf).flatMap(references);
  const foreign = refs.find(([root, name]) => root !== "params" && !(root === "stages" && known.has(name as string)));
  if (foreign !== undefined) return foreign.join(".");
  return leaf.inputs.find((input) => !known.has(input.slice(0, input.indexOf(".")))) ?? null;
}

/** What was planted improves nothing, and mends nothing that was broken before. */
function relax(gate: Judging): Judging {
  if (gate.kind === "inspection") return gate;
  const { judge } = gate;
  const isStrict = (judge.by === "tests" || judge.by === "metric") && judge.must !== "no_regress";
  return isStrict ? { ...gate, judge: { ...judge, must: "no_regress" } as Judge } : gate;
}

function planOf(plan: Plan, gates: readonly Judging[]): Plan {
  const stages = gates.map((gate, at) => ({ ...gate, routes: routesOf(gate, gates[at + 1]) }));
  // A drill is no run of whoever the plan came from: nothing of it shows in their files.
  const { fingerprint: _name, origin: _origin, ...body } = plan;
  return seal({
    ...body,
    // Nothing here changes anything. Below L3 a merge gate would say nothing but that a person merges.
    level: gates.some((gate) => gate.kind === "inspection" && gate.by === "merge") ? "L3" : "L1",
    limits: NO_LIMITS,
    start: (gates[0] as Judging).id,
    stages,
    children: [],
    bound: worstCase(stages, new Map(), NO_LIMITS),
  });
}

/** That nothing has changed is no reason to look no further: it is what protection leaves of a plant. */
function routesOf(gate: Judging, next: Judging | undefined): Readonly<Record<string, Target>> {
  const onward: Target = next === undefined ? { end: "done" } : { to: next.id, back: false };
  const routes = { pass: onward, fail: { end: "fail" }, escalate: { end: "escalate" } } as const;
  return gate.kind === "inspection" ? { ...routes, empty: onward } : routes;
}
