/** A gate that a person judges: asked once per visit; the answer counts only for exactly what was asked about. */
import type { JsonObject } from "../../base/json.ts";
import type { ApprovalStage, Plan } from "../../plan/plan.ts";
import { inputsOf } from "../effect/effect.ts";
import type { Fact } from "../events.ts";
import type { Lane, RunFacts } from "../state.ts";
import type { OpenLane } from "./due.ts";
import { approvalDigest, ask, type Subject } from "./question.ts";

type Judged = Pick<Lane, "path" | "visit" | "granted" | "refusal">;

/** The verdict that the answer gives now, or the question. Compared with what is here at this moment, not when it was asked. */
export function judgementFact(plan: Plan, facts: RunFacts, leaf: ApprovalStage, lane: Judged, now: number): Fact {
  const { path: stage, visit, granted, refusal } = lane;
  const verdict = { type: "stage.finished", stage, attempt: 1 } as const;
  if (refusal !== null) return { ...verdict, outcome: "fail", ...refusal };
  const { subject, error } = judgedSubject(facts, leaf, lane);
  if (error !== null) return { type: "stage.refused", stage, visit, error };
  if (granted === approvalDigest(plan, facts, subject)) return { ...verdict, outcome: "pass", cause: "ok" };
  const why = leaf.question ?? `"${stage}" is for a person to decide`;
  const { expiresMs, remindMs } = leaf;
  return ask(plan, facts, { ...subject, kind: "gate", why, answers: ["approve", "deny"], expiresMs, remindMs }, now);
}

/** What the person is asked about: the tree that the run holds, the question, and what the stage is given. */
export function judgedSubject(
  facts: RunFacts,
  leaf: ApprovalStage,
  { path, visit }: Pick<Lane, "path" | "visit">,
): { readonly subject: Subject; readonly error: string | null } {
  const missing: string[] = [];
  const inputs = inputsOf(facts, leaf, { refuse: (error) => missing.push(error) });
  const request: JsonObject = {
    kind: "approval",
    ...(leaf.question === null ? {} : { question: leaf.question }),
    inputs: inputs as unknown as JsonObject,
  };
  return { subject: { place: { path, visit, attempt: 1, tree: facts.tree }, request }, error: missing[0] ?? null };
}

/** A person has answered, or nobody in time: the verdict can be told. */
export function isAnswered({ granted, refusal }: Pick<Lane, "granted" | "refusal">): boolean {
  return granted !== null || refusal !== null;
}

/** What the person was asked about is not what is there any more: the question must be asked again. */
export function isStale(plan: Plan, facts: RunFacts, lane: OpenLane): boolean {
  const { leaf, question } = lane;
  if (leaf.kind !== "approval") return false;
  return approvalDigest(plan, facts, judgedSubject(facts, leaf, lane).subject) !== question.digest;
}
