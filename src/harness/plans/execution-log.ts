/** The log of an execution: where it began, each step, where it ended. Written before anything that follows from it. */

import type { JsonValue } from "../../base/json.ts";
import type { Clock } from "../../ports/clock.ts";
import { orLate } from "../patience.ts";
import type { ExecutionContext, StepResult } from "./execution-context.ts";
import type { ExecutionPlan, PlanStep } from "./reading/execution-plan.ts";
import { type ExecutionStatus, type PlanStop, statusOf } from "./stops.ts";

interface Ids {
  readonly request_id: string;
  readonly assistant_id: string;
  readonly session_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly plan_id: string;
  /** Of the plan that this one took the place of. */
  readonly parent_id: string | null;
  readonly timestamp: number;
}

export type ExecutionRecord = Ids &
  (
    | {
        readonly kind: "plan_start";
        readonly steps: number;
        readonly fingerprint: string;
        readonly reasoning: string | null;
      }
    | {
        readonly kind: "step";
        readonly step_id: string;
        readonly step_name: string;
        readonly step_type: string;
        readonly status: ExecutionStatus;
        readonly output?: JsonValue;
        readonly error?: string;
        readonly error_code?: string;
        readonly expected_output?: string;
        /** Milliseconds. */
        readonly duration_ms: number;
      }
    | {
        readonly kind: "plan_end";
        readonly status: ExecutionStatus;
        readonly stop: PlanStop;
        readonly error?: string;
        readonly duration_ms: number;
      }
  );

export interface ExecutionLog {
  /** A log that fails ends the execution: what is not written down does not happen. */
  append(record: ExecutionRecord): Promise<void> | void;
}

interface PlanEnd {
  readonly stop: PlanStop;
  readonly error: string | null;
  readonly durationMs: number;
}

export interface LogWriter {
  begin(plan: ExecutionPlan): Promise<void>;
  step(plan: ExecutionPlan, step: PlanStep, result: StepResult): Promise<void>;
  end(plan: ExecutionPlan, end: PlanEnd): Promise<void>;
}

export function createLogWriter(log: ExecutionLog, { ids }: ExecutionContext, clock: Clock): LogWriter {
  const append = (record: ExecutionRecord): Promise<void> => orLate(log.append(record), clock);
  const common = (plan: ExecutionPlan): Ids => ({
    request_id: ids.request,
    assistant_id: ids.assistant,
    session_id: ids.session,
    tenant_id: ids.tenant,
    user_id: ids.user,
    plan_id: plan.id,
    parent_id: plan.parentId,
    timestamp: clock.now(),
  });
  return {
    begin: async (plan) => {
      const { fingerprint, reasoning } = plan;
      await append({ ...common(plan), kind: "plan_start", steps: plan.steps.length, fingerprint, reasoning });
    },
    step: async (plan, step, { status, output, error, durationMs }) => {
      await append({
        ...common(plan),
        kind: "step",
        step_id: step.id,
        step_name: step.name,
        step_type: step.type,
        status,
        ...(output === null ? {} : { output }),
        ...(error === null ? {} : { error: error.message, error_code: error.code }),
        ...(step.expected === null ? {} : { expected_output: step.expected }),
        duration_ms: durationMs,
      });
    },
    end: async (plan, { stop, error, durationMs }) => {
      const told = error === null ? {} : { error };
      const status = statusOf(stop);
      await append({ ...common(plan), kind: "plan_end", status, stop, ...told, duration_ms: durationMs });
    },
  };
}
