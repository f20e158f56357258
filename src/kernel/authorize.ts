/** authorize: the one guarded path to an effect. Policy sees exactly what would happen; only an allow becomes an INTENT. */
import type { Plan } from "../plan/plan.ts";
import { requestJson } from "../policy/describe.ts";
import type { PolicyGate } from "../ports/policy-gate.ts";
import { approvalDigest, approvalScope, ask, QUESTION_MS } from "../run/approval/question.ts";
import type { Start } from "../run/decide.ts";
import { type Effect, effectJson, resolveEffect } from "../run/effect/effect.ts";
import { taintProblem } from "../run/effect/taint.ts";
import { type Fact, startedFact } from "../run/events.ts";
import type { RunningState } from "../run/state.ts";

export interface Authorized {
  readonly fact: Fact;
  /** What may now be performed; only with `stage.started`. */
  readonly effect: Effect | null;
}

/** What shadow rules would have decided is recorded where the decision is. */
type ShadowSeen = { readonly shadow?: readonly string[] | undefined };

export function authorize(plan: Plan, state: RunningState, start: Start, policy: PolicyGate, now: number): Authorized {
  const { path: stage, visit, attempt } = start;
  const resolved = resolveEffect(state.facts, state.progress, start.leaf, start.position);
  if (!resolved.ok) return { fact: { type: "stage.refused", stage, visit, error: resolved.error }, effect: null };
  const { effect, stripped } = resolved;
  const started = (rule: string, shadow?: readonly string[]): Authorized => {
    const fact = startedFact(stage, visit, attempt, rule);
    if (stripped === null && shadow === undefined) return { fact, effect };
    return { fact: { ...fact, ...(stripped === null ? {} : { stripped }), ...seenBy({ shadow }) }, effect };
  };
  // Looking at what is stored changes nothing, and no text leads it.
  if (effect.kind === "inspection") return started("plan.inspection");
  const problem = taintProblem(plan, state.facts, state.progress, start.leaf);
  if (problem !== null) return denied(start, effect, { rule: "taint", why: problem });
  // A child run has no effect of its own: its stages pass this same path with the rules frozen into its plan.
  if (effect.kind === "run") return started("plan.child");
  const { request } = effect;
  const decision = policy.decide(plan.rules, request);
  if (decision.effect === "allow") return started(decision.rule, decision.shadow);
  if (decision.effect === "deny") return denied(start, effect, decision);
  const { rule, why } = decision;
  const subject = { place: start, request: effectJson(effect) };
  const isAllowed =
    start.granted === approvalDigest(plan, state.facts, subject) ||
    state.facts.allowed.has(approvalScope(plan, state.facts, rule, subject.request));
  if (isAllowed) return started(rule, decision.shadow);
  const answers = ["approve", "approve_run", "deny"];
  const asking = { ...subject, kind: "policy", why, answers, rule, expiresMs: QUESTION_MS } as const;
  return { fact: ask(plan, state.facts, asking, now), effect: null };
}

function seenBy({ shadow }: ShadowSeen): { readonly shadow?: readonly string[] } {
  return shadow === undefined ? {} : { shadow };
}

function denied(
  { path: stage, visit }: Start,
  effect: Exclude<Effect, { kind: "inspection" }>,
  refusal: ShadowSeen & { readonly rule: string; readonly why: string },
): Authorized {
  const { rule, why } = refusal;
  const request = "request" in effect ? requestJson(effect.request) : { kind: "child" };
  return { fact: { type: "policy.denied", stage, visit, rule, why, request, ...seenBy(refusal) }, effect: null };
}
