/** The name of a plan is the digest of its canonical text, so equal meaning has an equal name; a sealed plan never changes. */
import { sha256 } from "../base/digest.ts";
import { canonical, type JsonValue } from "../base/json.ts";
import type { Rule } from "../policy/rule.ts";
import type { Plan } from "./plan.ts";

export type PlanBody = Omit<Plan, "fingerprint">;

/** The plan as it will be stored: a copy that shares nothing with what it was made from, frozen, with its name. */
export function seal(body: PlanBody): Plan {
  const text = canonical(body as unknown as JsonValue);
  return freeze({ ...(JSON.parse(text) as PlanBody), fingerprint: sha256(text) });
}

/** The name a plan should have; another one means that it was changed. */
export function fingerprint(plan: Plan): string {
  const { fingerprint: _name, ...body } = plan;
  return sha256(canonical(body as unknown as JsonValue));
}

/** The name of a policy: two runs with the same one were judged by the same rules. */
export function policyDigest(rules: readonly Rule[]): string {
  return sha256(canonical(rules as unknown as JsonValue));
}

/** Freezes a value and everything in it. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
