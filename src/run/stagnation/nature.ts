/** What a stage can do and see, as far as a plan tells: whether a visit with the same tree is the same visit again. */
import { type Expression, references } from "../../base/expression.ts";
import type { Visit } from "../../limits/stagnation/stagnation.ts";
import type { GateStage, LeafStage, Plan, PlanStage } from "../../plan/plan.ts";
import { leafExpressions } from "../../plan/routes.ts";
import { childOf } from "../plan-index.ts";

export type Nature = Pick<Visit, "nature" | "writes">;

/** Plans are frozen, so what is found once stays true. */
const known = new WeakMap<PlanStage, Nature>();

export function natureOf(plan: Plan, stage: PlanStage): Nature {
  let nature = known.get(stage);
  if (nature === undefined) {
    nature = findNature(plan, stage);
    known.set(stage, nature);
  }
  return nature;
}

function findNature(plan: Plan, stage: PlanStage): Nature {
  const leaves = stage.kind === "group" ? stage.members : [stage];
  const given = stage.kind === "group" && stage.forEach !== null ? [stage.forEach] : [];
  const isTold = [...given, ...leaves.flatMap(leafExpressions)].some(mentionsRound);
  const reaches = leaves.some((leaf) => reachesOutside(plan, leaf));
  return { nature: reaches ? "waits" : isTold ? "differs" : "repeats", writes: canWrite(plan, stage) };
}

/** Something may change there while the tree does not: a person may edit the project folder too. */
function reachesOutside(plan: Plan, leaf: LeafStage): boolean {
  switch (leaf.kind) {
    case "action":
    case "approval":
      return true;
    case "inspection":
      return false;
    case "run": {
      const child = childOf(plan, leaf.plan);
      return child.stages.some((stage) => natureOf(child, stage).nature === "waits");
    }
    default:
      return (
        plan.workspace?.kind === "directory" ||
        leaf.wall.network.length > 0 ||
        leaf.wall.sandbox === "danger_full_access"
      );
  }
}

/** What members leave is not the tree of the run. */
function canWrite(plan: Plan, stage: PlanStage): boolean {
  if (stage.kind === "run") return childOf(plan, stage.plan).workspace !== null;
  return (stage.kind === "command" || stage.kind === "agent") && stage.wall.sandbox !== "read_only";
}

function mentionsRound(expression: Expression): boolean {
  return references(expression).some(([root, name]) => root === "run" && name === "round");
}

/** Judged by more than an exit code: what it returns tells of the judgement, numbers that never repeat among it. */
export function isMeasured(stage: PlanStage): stage is GateStage {
  return stage.kind === "gate" && stage.judge.by !== "exit";
}
