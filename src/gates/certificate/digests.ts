/** What must be the same for evidence to count: the gates, what they are given, the paths they protect, the policy. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
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

/** The same for every plan whose gates judge in the same way: the level may differ, and so may everything that is judged. */
export function gatesDigest(plan: Plan): string {
  return sha256(canonical(judgementOf(plan)));
}

function judgementOf(plan: Plan): JsonObject {
  const leaves = plan.stages.flatMap((stage): readonly LeafStage[] =>
    stage.kind === "group" ? stage.members : [stage],
  );
  const gates = leaves.filter(isJudge).map((leaf) => {
    const members = Object.entries(leaf).filter(([name]) => !NOT_JUDGEMENT.has(name));
    return Object.fromEntries(members) as JsonObject;
  });
  return {
    gates,
    given: Object.fromEntries([...paramsOf(gates)].sort().map((name) => [name, plan.params[name]])),
    protect: plan.protect,
    policy: plan.policy,
    children: plan.children.map(judgementOf),
  };
}

/** Parameters that a gate refers to: another value is another gate. */
function paramsOf(value: JsonValue | undefined, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return found;
  const { ref } = value as { readonly ref?: JsonValue };
  if (Array.isArray(ref) && ref[0] === "params" && typeof ref[1] === "string") found.add(ref[1]);
  for (const member of Object.values(value)) paramsOf(member as JsonValue, found);
  return found;
}
