/** The steps of one plan. What they gave is written down, in their order, before the next of them begins. */
import { isJsonObject } from "../../base/json.ts";
import type { Ended } from "./end-plan.ts";
import type { StepResult } from "./execution-context.ts";
import { inGroups, sideBySide } from "./groups.ts";
import { afterStep, beforeStep } from "./hooks.ts";
import type { ExecutionPlan, PlanStep } from "./reading/execution-plan.ts";
import { runStep, type StepEnding, type SteppedEnd } from "./run-step.ts";
import type { ReplanTrigger, Session } from "./session.ts";
import type { PlanStop } from "./stops.ts";

export interface Walked extends Ended {
  /** What another plan could put right; null: nothing. */
  readonly trigger: ReplanTrigger | null;
  readonly failed: StepResult | null;
}

/** Endings that no other plan puts right. */
const FINAL: Partial<Record<StepEnding, PlanStop>> = {
  denied: "policy_denied",
  hook_denied: "hook_denied",
  approval_required: "approval_required",
  budget: "budget_exhausted",
  circuit_open: "circuit_open",
  resource_exhausted: "resource_exhausted",
  max_tool_calls: "max_tool_calls",
};
const TRIGGERS: Partial<Record<StepEnding, ReplanTrigger>> = {
  invalid_data: "invalid_data",
  invalid_input: "invalid_data",
  needs_replan: "needs_replan",
};

export async function runGroups(session: Session, plan: ExecutionPlan): Promise<Walked> {
  const { outputs, context, limits, log } = session;
  let last: SteppedEnd | undefined;
  for (const group of inGroups(plan.steps)) {
    const halted = session.halted();
    if (halted !== null) return endedBy(halted, null);
    const ends = await sideBySide(group, limits.parallel, (step) => stepIn(session, plan, step));
    for (const [index, end] of ends.entries()) {
      const step = group[index] as PlanStep;
      context.addResult(end.result);
      if (end.ending === "ok" || end.ending === "needs_replan") outputs.set(step.id, end.result.output);
      await log.step(plan, step, end.result);
    }
    const failed = ends.filter(({ ending }) => ending !== "ok");
    if (failed.length > 0) return failure(session, failed);
    last = ends.at(-1);
  }
  return { ...endedBy("goal_achieved", null), output: last?.result.output ?? null };
}

async function stepIn(session: Session, plan: ExecutionPlan, step: PlanStep): Promise<SteppedEnd> {
  const { host, outputs, signal } = session;
  const denied = await beforeStep(session, plan.steps.indexOf(step) + 1);
  const call: typeof host.call =
    denied === null
      ? (request, own) => (session.takeCall() ? host.call(request, own) : Promise.resolve(NO_CALL_LEFT))
      : () => Promise.resolve({ ending: "hook_denied", output: null, code: "HOOK_DENIED", error: denied });
  const end = wantsAnother(await runStep(step, { plan: plan.id, outputs, call, clock: host.clock, signal }));
  await afterStep(session, plan, step, end);
  return end;
}

const NO_CALL_LEFT = { ending: "max_tool_calls", output: null, code: null, error: "no call is left" } as const;

/** A step can ask for another plan itself. It has not done what the plan needs then. */
function wantsAnother(end: SteppedEnd): SteppedEnd {
  const { output } = end.result;
  if (end.ending !== "ok" || !isJsonObject(output) || output["needs_replan"] !== true) return end;
  const error = { code: "NEEDS_REPLAN", message: "the step asks for another plan" };
  return { ...end, ending: "needs_replan", result: { ...end.result, status: "failed", error } };
}

function failure(session: Session, failed: readonly SteppedEnd[]): Walked {
  const halted = session.halted();
  const final = failed.find(({ ending }) => FINAL[ending] !== undefined);
  const worst = (final ?? failed[0]) as SteppedEnd;
  if (halted !== null) return endedBy(halted, worst.result);
  const stop = FINAL[worst.ending];
  if (stop !== undefined) return endedBy(stop, worst.result);
  if (worst.ending === "cancelled") return endedBy("context_canceled", worst.result);
  const trigger = TRIGGERS[worst.ending] ?? "tool_failure";
  return { ...endedBy("fail_fast", worst.result), trigger, failed: worst.result };
}

function endedBy(stop: PlanStop, result: StepResult | null): Walked {
  return { stop, error: result?.error ?? null, output: null, trigger: null, failed: null };
}
