/** Hooks around the steps of a plan, and at its end. Those around tools are in the toolbox, which every path goes through. */

import { visibleLine } from "../../base/visible.ts";
import type { AgentStatus } from "../agent.ts";
import { inTime, orLate } from "../patience.ts";
import type { ExecutionPlan, PlanStep } from "./reading/execution-plan.ts";
import type { SteppedEnd } from "./run-step.ts";
import type { Session } from "./session.ts";
import type { PlanStop } from "./stops.ts";

const LONGEST = 500;

const ENDS: Partial<Record<PlanStop, AgentStatus>> = {
  goal_achieved: "completed",
  max_turns: "max_turns",
  max_tool_calls: "max_tool_calls",
  max_runtime: "timeout",
  max_session_runtime: "timeout",
  context_canceled: "cancelled",
  budget_exhausted: "budget",
  repeat_plan: "tool_loop",
};

/** Why the step must not begin; null: it may. What a hook throws is a no. */
export async function beforeStep({ host, signal }: Session, turn: number): Promise<string | null> {
  try {
    return (await inTime(host.hooks?.preStep?.({ run: host.run, turn }), signal))?.deny ?? null;
  } catch (error) {
    return visibleLine(error instanceof Error ? error.message : String(error), LONGEST);
  }
}

export async function afterStep(
  { host, signal }: Session,
  plan: ExecutionPlan,
  step: PlanStep,
  end: SteppedEnd,
): Promise<void> {
  const { result, input } = end;
  const turn = plan.steps.indexOf(step) + 1;
  const ok = result.status === "success";
  const output = result.output ?? result.error?.message ?? null;
  const calls =
    input === null ? [] : [{ id: step.id, tool: step.tool, input, key: `${plan.id}:${step.id}`, ok, output }];
  const told = { turn, phase: plan.id, model: "plan", text: plan.reasoning ?? "", calls, tokens: 0, microUsd: 0 };
  await quietly(() => inTime(host.hooks?.postStep?.(told), signal));
}

export async function onStop({ host }: Session, stop: PlanStop): Promise<void> {
  const status = ENDS[stop] ?? "failed";
  await quietly(() => orLate(host.hooks?.onStop?.({ run: host.run, status }), host.clock));
}

/** Afterwards a hook is only told: what goes wrong there changes nothing. */
async function quietly(tell: () => unknown): Promise<void> {
  try {
    await tell();
  } catch {
    return;
  }
}
