/** The end of an execution: one word for it, what follows from the word, and the hooks are told. */
import type { JsonValue } from "../../base/json.ts";
import type { StopReason } from "../../run/reasons.ts";
import type { StepError, StepResult } from "./execution-context.ts";
import { onStop } from "./hooks.ts";
import type { Session } from "./session.ts";
import { type ExecutionStatus, PLAN_STOPS, type PlanStop, statusOf } from "./stops.ts";

export interface Ended {
  readonly stop: PlanStop;
  readonly error: StepError | null;
  readonly output: JsonValue | null;
}

export interface PlanReport {
  readonly stop: PlanStop;
  readonly reason: StopReason;
  readonly status: ExecutionStatus;
  /** Ids of the plans, in order. */
  readonly plans: readonly string[];
  readonly results: readonly StepResult[];
  /** Of the last step; null when it did not get there. */
  readonly output: JsonValue | null;
  readonly error: StepError | null;
  readonly calls: number;
  readonly durationMs: number;
}

export async function finish(session: Session, { stop, error, output }: Ended): Promise<PlanReport> {
  const { host, context, plans, startedAt } = session;
  await onStop(session, stop);
  return {
    ...{ stop, reason: PLAN_STOPS[stop], status: statusOf(stop) },
    ...{ plans: [...plans], results: context.results(), output, error },
    ...{ calls: session.calls(), durationMs: host.clock.now() - startedAt },
  };
}
