/** For whom a plan is executed, until when, and what its steps have given so far. */
import type { JsonValue } from "../../base/json.ts";
import type { ExecutionStatus } from "./stops.ts";

export interface ExecutionIds {
  readonly request: string;
  readonly assistant: string;
  readonly session: string;
  readonly tenant: string;
  readonly user: string;
}

export interface StepResult {
  /** Id of the step. */
  readonly step: string;
  readonly name: string;
  readonly type: string;
  readonly plan: string;
  readonly status: ExecutionStatus;
  readonly output: JsonValue | null;
  /** With its code; null: there is none. */
  readonly error: StepError | null;
  readonly durationMs: number;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
}

export interface ExecutionContext {
  readonly ids: ExecutionIds;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** null: as long as a plan may take. */
  readonly deadline: number | null;
  addResult(result: StepResult): void;
  /** A copy: whoever changes it changes nothing here. */
  results(): StepResult[];
}

export function createExecutionContext(
  ids: ExecutionIds,
  startedAt: number,
  deadline: number | null = null,
): ExecutionContext {
  const kept: StepResult[] = [];
  return {
    ids: Object.freeze({ ...ids }),
    startedAt,
    deadline,
    addResult: (result) => {
      kept.push(structuredClone(result));
    },
    results: () => structuredClone(kept),
  };
}
