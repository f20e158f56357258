/** Exit codes of the command line: a table, printed in help. Only a run that succeeded ends with 0. */
import type { Status, StopReason, WaitReason } from "../run/reasons.ts";

export const EXIT = { succeeded: 0, failed: 1, human: 2, usage: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "succeeded",
  1: "failed, blocked, timed out or cancelled",
  2: "a human is needed: waiting, paused, escalated, or rejected by policy or approval",
  3: "wrong usage or invalid input; nothing was run",
  130: "interrupted by a signal",
};

const OF_STATUS: Readonly<Record<Status, ExitCode>> = {
  queued: EXIT.failed,
  running: EXIT.failed,
  waiting: EXIT.human,
  paused: EXIT.human,
  succeeded: EXIT.succeeded,
  failed: EXIT.failed,
  blocked: EXIT.failed,
  rejected: EXIT.human,
  cancelled: EXIT.failed,
  killed: EXIT.failed,
  timed_out: EXIT.failed,
};

/** Reasons that say more than their status does. */
const OF_REASON: Readonly<Partial<Record<StopReason | WaitReason, ExitCode>>> = {
  escalated: EXIT.human,
  invalid_plan: EXIT.usage,
};

/** The exit code for how a run stands when its host lets go of it. */
export function exitOfRun(status: Status, reason: StopReason | WaitReason | null): ExitCode {
  return (reason === null ? undefined : OF_REASON[reason]) ?? OF_STATUS[status];
}
