/** What must be the same for evidence to count: the gates, what they are given, the paths they protect, the policy. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { ApprovalStage, GateStage, InspectionStage, LeafStage, Plan } from "../../plan/plan.ts";

export type JudgeStage = GateStage | InspectionStage | ApprovalStage;

/** Whether a stage judges: by a process, by looking at the change, or by asking a person. */
export function isJudge(leaf: LeafStage): leaf is JudgeStage {
  return leaf.kind === "gate" || leaf.kind === "inspection" || leaf.kind === "approval";
}

/** How a gate judges, in a word. */
export function judgedBy(gate: JudgeStage): string {
  if (gate.kind === "gate") return gate.judge.by;
  return gate.kind === "inspection" ? gate.by : "person";
}

/** Where a stage leads and what it is called says nothing about how it judges. */
const NOT_JUDGEMENT: ReadonlySet<string> = new Set(["routes", "title"]);

/**
 * The same for every plan whose gates judge in the same way: the level may differ, and so may everything that is judged. With a lower
 * level, of the gates that it reaches: what a plan of the same blueprint at that level gives.
 */
export function gatesDigest(plan: Plan, level: Level = plan.level): string {
  return sha256(canonical(judgementOf(plan, level)));
}

function judgementOf(plan: Plan, level: Level): JsonObject {
  const gone = new Set(level < plan.level ? plan.unreached?.[level] : []);
  const leaves = leavesOf(plan.stages.filter(({ id }) => !gone.has(id)));
  const lost = new Set(childrenOf(leavesOf(plan.stages)));
  for (const child of childrenOf(leaves)) lost.delete(child);
  const gates = leaves.filter(isJudge).map((leaf) => {
    const members = Object.entries(leaf).filter(([name]) => !NOT_JUDGEMENT.has(name));
    return Object.fromEntries(members) as JsonObject;
  });
  return {
    gates,
    given: Object.fromEntries([...paramsOf(gates)].sort().map((name) => [name, plan.params[name]])),
    // As the compiler does: without a process that judges, nothing has to be protected.
    protect: gone.size > 0 && !leaves.some(({ kind }) => kind === "gate") ? [] : plan.protect,
    policy: plan.policy,
    children: plan.children
      .filter(({ fingerprint }) => !lost.has(fingerprint))
      .map((child) => judgementOf(child, level)),
  };
}

function leavesOf(stages: Plan["stages"]): readonly LeafStage[] {
  return stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
}

function childrenOf(leaves: readonly LeafStage[]): readonly string[] {
  return leaves.flatMap((leaf) => (leaf.kind === "run" ? [leaf.plan] : []));
}

/** Parameters that a gate refers to: another value is another gate. */
function paramsOf(value: JsonValue | undefined, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return found;
  const { ref } = value as { readonly ref?: JsonValue };
  if (Array.isArray(ref) && ref[0] === "params" && typeof ref[1] === "string") found.add(ref[1]);
  for (const member of Object.values(value)) paramsOf(member as JsonValue, found);
  return found;
}
