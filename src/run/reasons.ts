/** Statuses and stop reasons. One reason per run; each reason belongs to one status; a bound never means success. */

export const TERMINAL = ["succeeded", "failed", "blocked", "rejected", "cancelled", "killed", "timed_out"] as const;
export type TerminalStatus = (typeof TERMINAL)[number];
export const STATUSES = ["queued", "running", "waiting", "paused", ...TERMINAL] as const;
export type Status = (typeof STATUSES)[number];

/** The vocabulary is closed and frozen: a stored reason keeps its meaning for ever. */
export const REASONS = {
  goal_achieved: "succeeded",
  noop: "succeeded",
  reported: "succeeded",
  proposed: "succeeded",
  merged: "succeeded",
  stage_failed: "failed",
  unverified: "failed",
  resource_exhausted: "failed",
  stall: "failed",
  oom: "failed",
  backend_exhausted: "failed",
  replan_failed: "failed",
  crashed: "failed",
  internal_error: "failed",
  escalated: "blocked",
  max_turns: "blocked",
  max_calls: "blocked",
  max_stages: "blocked",
  max_visits: "blocked",
  max_rounds: "blocked",
  max_spawns: "blocked",
  consecutive_failures: "blocked",
  stagnation: "blocked",
  tool_loop: "blocked",
  circuit_open: "blocked",
  policy_denied: "rejected",
  approval_denied: "rejected",
  approval_expired: "rejected",
  budget_exhausted: "rejected",
  invalid_plan: "rejected",
  hook_denied: "rejected",
  dispatch_loop: "rejected",
  dispatch_depth: "rejected",
  cancelled: "cancelled",
  kill_switch: "killed",
  critic_killed: "killed",
  max_runtime: "timed_out",
} as const satisfies Record<string, TerminalStatus>;
export type StopReason = keyof typeof REASONS;

/** Why an attempt was refused for now: a budget that frees again, or the quota of a vendor. */
export type ParkReason = "awaiting_budget" | "awaiting_quota";
/** Why a run rests without having ended. */
export type WaitReason = "awaiting_approval" | ParkReason;

export function isTerminal(status: Status): status is TerminalStatus {
  return (TERMINAL as readonly string[]).includes(status);
}
