/** authorize: the one guarded path to an effect. Policy sees exactly what would happen; only an allow becomes an INTENT. */
import type { Plan } from "../plan/plan.ts";
import { requestJson } from "../policy/describe.ts";
import type { PolicyGate } from "../ports/policy-gate.ts";
import type { Start } from "../run/decide.ts";
import { approvalDigest, type Effect, effectJson, resolveEffect } from "../run/effect/effect.ts";
import type { Fact } from "../run/events.ts";
import type { RunningState } from "../run/state.ts";

export interface Authorized {
  readonly fact: Fact;
  /** What may now be performed; only with `stage.started`. */
  readonly effect: Effect | null;
}

export function authorize(plan: Plan, state: RunningState, start: Start, policy: PolicyGate): Authorized {
  const { path: stage, visit, attempt } = start;
  const resolved = resolveEffect(state.facts, state.progress, start.leaf, start.position);
  if (!resolved.ok) return { fact: { type: "stage.refused", stage, visit, error: resolved.error }, effect: null };
  const { effect } = resolved;
  const started = (rule: string): Authorized => ({
    fact: { type: "stage.started", stage, visit, attempt, rule },
    effect,
  });
  // A child run has no effect of its own: its stages pass this same path with the rules frozen into its plan.
  if (effect.kind === "run") return started("plan.child");
  // Looking at what is stored changes nothing.
  if (effect.kind === "inspection") return started("plan.inspection");
  const { request } = effect;
  const decision = policy.decide(plan.rules, request);
  if (decision.effect === "allow") return started(decision.rule);
  if (decision.effect === "deny") {
    return {
      fact: {
        type: "policy.denied",
        stage,
        visit,
        rule: decision.rule,
        why: decision.why,
        request: requestJson(request),
      },
      effect: null,
    };
  }
  const shown = effectJson(effect);
  const digest = approvalDigest(state.facts, start, shown);
  if (start.granted === digest) return started(decision.rule);
  const answers = ["approve", "deny"];
  const question = { kind: "policy", digest, why: decision.why, answers, request: shown } as const;
  return { fact: { type: "approval.requested", stage, visit, ...question }, effect: null };
}
