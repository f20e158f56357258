/** Why the execution of a plan has ended. One word each, from a closed list; only one of them is success. */
import { REASONS, type StopReason, type TerminalStatus } from "../../run/reasons.ts";

/** The words of openbotstack → ours. */
export const PLAN_STOPS = {
  goal_achieved: "goal_achieved",
  /** A step failed, and nobody makes another plan. */
  fail_fast: "stage_failed",
  /** Whoever plans says that it is done, and nothing shows it. */
  planner_stopped: "unverified",
  replan_failed: "replan_failed",
  invalid_plan: "invalid_plan",
  repeat_plan: "stagnation",
  max_steps: "max_stages",
  max_tool_calls: "max_calls",
  max_turns: "max_turns",
  max_runtime: "max_runtime",
  max_session_runtime: "max_runtime",
  policy_denied: "policy_denied",
  hook_denied: "hook_denied",
  approval_required: "approval_expired",
  budget_exhausted: "budget_exhausted",
  circuit_open: "circuit_open",
  resource_exhausted: "resource_exhausted",
  context_canceled: "cancelled",
  error: "internal_error",
} as const satisfies Record<string, StopReason>;
export type PlanStop = keyof typeof PLAN_STOPS;

/** How one step, or all of it, went. */
export type ExecutionStatus = "success" | "failed" | "timeout" | "canceled" | "rejected";

const STATUSES: Readonly<Record<TerminalStatus, ExecutionStatus>> = {
  succeeded: "success",
  failed: "failed",
  blocked: "failed",
  rejected: "rejected",
  cancelled: "canceled",
  killed: "canceled",
  timed_out: "timeout",
};

export function statusOf(stop: PlanStop): ExecutionStatus {
  return STATUSES[REASONS[PLAN_STOPS[stop]]];
}
