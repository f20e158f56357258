/** ExecutionPlan: a list of calls that was made at run time, by a model as a rule. It can do nothing that its parent cannot. */
import type { Expression } from "../../../base/expression.ts";
import type { Schema } from "../../../base/schema/schema.ts";

export const STEP_TYPES = ["skill", "tool"] as const;
export type StepType = (typeof STEP_TYPES)[number];
export const STEP_RISKS = ["info", "sensitive", "clinical", "critical"] as const;
export type StepRisk = (typeof STEP_RISKS)[number];

export interface PlanStep {
  /** Unique in the plan: one tool can be used twice. */
  readonly id: string;
  /** What is called, as the plan names it. */
  readonly name: string;
  readonly type: StepType;
  /** The tool that this means. */
  readonly tool: string;
  readonly arguments: Expression;
  /** null: as long as the tool may take. */
  readonly timeoutMs: number | null;
  /** What the planner hopes for, in words; it stands in the log beside what came. */
  readonly expected: string | null;
  readonly output: Schema | null;
  /** Neighbours of the same group run side by side; null: alone. */
  readonly group: string | null;
  /** Policy sees it as the tier of every request of the step. */
  readonly risk: StepRisk | null;
}

export interface ExecutionPlan {
  readonly id: string;
  /** The plan that this one takes the place of. */
  readonly parentId: string | null;
  readonly assistantId: string;
  readonly reasoning: string | null;
  readonly steps: readonly PlanStep[];
  /** Of what it would do, arguments included; not of its names. */
  readonly fingerprint: string;
}

export interface PlanLimits {
  readonly steps: number;
  /** Calls of tools, with those of the plans that take its place. */
  readonly calls: number;
  readonly runtimeMs: number;
  /** Steps of one group at once. */
  readonly parallel: number;
  readonly replans: number;
  /** Of a reasoning loop. */
  readonly turns: number;
  readonly turnMs: number;
  readonly turnCalls: number;
  readonly sessionMs: number;
}

/** Ceilings: whoever asks for more gets these. */
const PLAN_LIMITS: PlanLimits = {
  steps: 10,
  calls: 15,
  runtimeMs: 300_000,
  parallel: 3,
  replans: 2,
  turns: 5,
  turnMs: 180_000,
  turnCalls: 10,
  sessionMs: 600_000,
};

export function limitsWithin(asked: Partial<PlanLimits>): PlanLimits {
  const names = Object.keys(PLAN_LIMITS) as (keyof PlanLimits)[];
  const entries = names.map((name) => [
    name,
    Math.max(0, Math.min(PLAN_LIMITS[name], asked[name] ?? PLAN_LIMITS[name])),
  ]);
  return Object.fromEntries(entries) as unknown as PlanLimits;
}
