/** One step: its arguments are resolved, it is called through the one door for calls, and what comes is held against its schema. */
import { diagnose } from "../../base/diagnostic.ts";
import { resolve } from "../../base/expression.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import { EXECUTION_ERRORS } from "../../ports/agents/execution-errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StepResult } from "./execution-context.ts";
import type { PlanStep } from "./reading/execution-plan.ts";
import { lookUp } from "./reading/template.ts";
import type { ExecutionStatus } from "./stops.ts";

export interface StepCall {
  /** Unique in the execution. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** How dangerous the plan takes it for; null: it says nothing. */
  readonly tier: string | null;
}

export type CallEnding =
  | "ok"
  | "error"
  | "invalid_input"
  | "denied"
  | "hook_denied"
  | "approval_required"
  | "budget"
  | "circuit_open"
  | "resource_exhausted"
  | "max_tool_calls"
  | "timeout"
  | "cancelled";

/** `invalid_data`: what came does not fit. `needs_replan`: the step asks for another plan. */
export type StepEnding = CallEnding | "invalid_data" | "needs_replan";

export interface CallEnd {
  readonly ending: CallEnding;
  readonly output: JsonValue | null;
  readonly code: string | null;
  readonly error: string | null;
}

/** Asks hooks and policy, checks the input, calls, and contains whatever goes wrong. Never rejects. */
export type CallDoor = (call: StepCall, signal: AbortSignal) => Promise<CallEnd>;

export interface StepParts {
  readonly plan: string;
  readonly outputs: ReadonlyMap<string, JsonValue>;
  readonly call: CallDoor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface SteppedEnd {
  readonly ending: StepEnding;
  readonly result: StepResult;
  /** What it was called with; null: it was not called. */
  readonly input: JsonObject | null;
}

const STATUSES: Readonly<Record<StepEnding, ExecutionStatus>> = {
  ok: "success",
  error: "failed",
  invalid_input: "rejected",
  invalid_data: "failed",
  denied: "rejected",
  hook_denied: "rejected",
  approval_required: "rejected",
  budget: "rejected",
  circuit_open: "rejected",
  resource_exhausted: "failed",
  max_tool_calls: "rejected",
  needs_replan: "failed",
  timeout: "timeout",
  cancelled: "canceled",
};
const LONGEST_ERROR = 2000;

export async function runStep(step: PlanStep, parts: StepParts): Promise<SteppedEnd> {
  const from = parts.clock.now();
  const input = inputOf(step, parts.outputs);
  const end = "ending" in input ? input : await callStep(step, input.input, parts);
  const checked = end.ending === "ok" ? checkOutput(step, end) : end;
  const { ending, output, code, error } = checked;
  const message = visibleLine(error ?? ending, LONGEST_ERROR);
  const result: StepResult = {
    step: step.id,
    name: step.name,
    type: step.type,
    plan: parts.plan,
    status: STATUSES[ending],
    output: ending === "ok" ? output : null,
    error: ending === "ok" ? null : { code: code ?? ending.toUpperCase(), message },
    durationMs: parts.clock.now() - from,
  };
  return { ending, result, input: "ending" in input ? null : input.input };
}

function inputOf(step: PlanStep, outputs: StepParts["outputs"]): { readonly input: JsonObject } | CallEnd {
  const resolved = resolve(step.arguments, (path) => lookUp(outputs, path));
  if (resolved.ok) return { input: resolved.value as JsonObject };
  const problem = diagnose(EXECUTION_ERRORS, "EXECUTION_REFERENCE_EMPTY", { step: step.id, ref: resolved.ref });
  return { ending: "invalid_input", output: null, code: problem.code, error: problem.what };
}

async function callStep(step: PlanStep, input: JsonObject, parts: StepParts): Promise<CallEnd> {
  const call = { id: step.id, tool: step.tool, input, tier: step.risk };
  if (step.timeoutMs === null) return parts.call(call, parts.signal);
  return within(step.timeoutMs, parts, (signal) => parts.call(call, signal));
}

/** The time of a step is its own; that of the plan ends it too. */
async function within(
  ms: number,
  { clock, signal }: Pick<StepParts, "clock" | "signal">,
  call: (signal: AbortSignal) => Promise<CallEnd>,
): Promise<CallEnd> {
  const own = new AbortController();
  let isLate = false;
  const callOff = clock.after(ms, () => {
    isLate = true;
    own.abort("timeout");
  });
  const follow = (): void => own.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  try {
    const end = await call(own.signal);
    if (!isLate) return end;
    return { ending: "timeout", output: null, code: null, error: `it took longer than ${ms} ms` };
  } finally {
    callOff();
    signal.removeEventListener("abort", follow);
  }
}

/** The next step relies on it. */
function checkOutput(step: PlanStep, end: CallEnd): Omit<CallEnd, "ending"> & { readonly ending: StepEnding } {
  const problems = step.output?.problems(end.output) ?? [];
  if (problems.length === 0) return end;
  return { ending: "invalid_data", output: null, code: null, error: `its output does not fit: ${problems.join("; ")}` };
}
