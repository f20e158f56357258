/** JSON → a frozen plan, or every problem it has. An invalid plan is never run, not even in part. */
import { type Diagnostic, diagnose } from "../../../base/diagnostic.ts";
import { sha256 } from "../../../base/digest.ts";
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { failed, ok, type Result } from "../../../base/result.ts";
import { readSchema, type Schema } from "../../../base/schema/schema.ts";
import { EXECUTION_ERRORS } from "../../../ports/agents/execution-errors.ts";
import { skillToolName } from "../../skills/skill.ts";
import { type ExecutionPlan, type PlanStep, STEP_RISKS, STEP_TYPES } from "./execution-plan.ts";
import { readTemplate } from "./template.ts";

/** What the parent has, and so all that a plan may use. */
export interface PlanPowers {
  /** Names of its tools; a skill is the tool `skill__name`. */
  readonly tools: ReadonlySet<string>;
  readonly steps: number;
  /** The plan that it takes the place of; null: it is the first. */
  readonly parent: string | null;
  /** Steps of earlier plans whose outputs it may use. */
  readonly done: ReadonlySet<string>;
  /** Ids of earlier plans. */
  readonly plans: ReadonlySet<string>;
}

const PLAN_KEYS = ["id", "parent_id", "assistant_id", "steps", "reasoning"];
const STEP_KEYS = [
  ...["step_id", "name", "type", "arguments", "timeout_ms", "expected_output"],
  ...["output_schema", "parallelizable", "parallel_group", "risk_level"],
];
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MOST_BYTES = 256 * 1024;
const LONGEST_TEXT = 20_000;
const LONGEST_MS = 600_000;

type Report = (at: string, problem: string) => void;

export function readExecutionPlan(source: JsonValue, powers: PlanPowers): Result<ExecutionPlan> {
  const problems: Diagnostic[] = [];
  const report: Report = (at, problem) =>
    void problems.push(diagnose(EXECUTION_ERRORS, "EXECUTION_PLAN_INVALID", { at, problem }));
  const text = canonical(source);
  if (!isJsonObject(source)) report("the plan", "is no object");
  else if (text.length > MOST_BYTES) report("the plan", `has more than ${MOST_BYTES} characters`);
  // What the caller still holds can change: the plan is made of a copy.
  const plan = problems.length === 0 ? readPlan(JSON.parse(text) as JsonObject, powers, report) : undefined;
  return plan === undefined || problems.length > 0 ? failed(problems) : ok(deepFreeze(plan));
}

function readPlan(source: JsonObject, powers: PlanPowers, report: Report): ExecutionPlan {
  refuseUnknown(source, PLAN_KEYS, "the plan", report);
  const list = Array.isArray(source["steps"]) ? (source["steps"] as readonly JsonValue[]) : [];
  if (list.length === 0) report("steps", "has no step");
  if (list.length > powers.steps) report("steps", `has ${list.length} steps, and may have ${powers.steps}`);
  const fingerprint = fingerprintOf(source);
  const id =
    optionalText(source, "id", "id", report, ID) ?? `plan-${fingerprint.slice(0, 16)}-${powers.plans.size + 1}`;
  if (powers.plans.has(id)) report("id", `is "${id}", which an earlier plan has`);
  const parent = optionalText(source, "parent_id", "parent_id", report, ID);
  if (parent !== null && parent !== powers.parent)
    report("parent_id", "is not the plan that this one takes the place of");
  return {
    id,
    parentId: powers.parent,
    assistantId: requiredText(source, "assistant_id", "assistant_id", report),
    reasoning: optionalText(source, "reasoning", "reasoning", report),
    steps: list.length > powers.steps ? [] : readSteps(list, powers, report),
    fingerprint,
  };
}

/** Of what a plan would do: two plans that differ in their words only have the same. */
export function fingerprintOf(source: JsonValue): string {
  const steps =
    isJsonObject(source) && Array.isArray(source["steps"]) ? (source["steps"] as readonly JsonValue[]) : [source];
  return sha256(canonical(steps.map(whatItDoes)));
}

function whatItDoes(step: JsonValue): JsonValue {
  if (!isJsonObject(step)) return step;
  return [step["type"] ?? null, step["name"] ?? null, step["arguments"] ?? {}];
}

function readSteps(list: readonly JsonValue[], powers: PlanPowers, report: Report): readonly PlanStep[] {
  const known = new Set(powers.done);
  const steps: PlanStep[] = [];
  for (const [index, source] of list.entries()) {
    const at = `steps[${index}]`;
    if (!isJsonObject(source)) {
      report(at, "is no object");
      continue;
    }
    const last = steps.at(-1);
    const group = groupOf(source, at, report);
    // Neighbours of a group run at the same time: none can use what another gives.
    const ready = new Set([...known].filter((id) => !isBeside(steps, id, group, last)));
    const step = readStep(source, at, { powers, report, ready, group, index });
    if (known.has(step.id)) report(`${at}.step_id`, `is "${step.id}", which an earlier step has`);
    known.add(step.id);
    steps.push(step);
  }
  return steps;
}

function isBeside(steps: readonly PlanStep[], id: string, group: string | null, last: PlanStep | undefined): boolean {
  if (group === null || last?.group !== group) return false;
  const first = steps.findLastIndex((step) => step.group !== group) + 1;
  return steps.slice(first).some((step) => step.id === id);
}

interface StepReading {
  readonly powers: PlanPowers;
  readonly report: Report;
  /** Steps whose outputs are there when this one begins. */
  readonly ready: ReadonlySet<string>;
  readonly group: string | null;
  readonly index: number;
}

function readStep(source: JsonObject, at: string, { powers, report, ready, group, index }: StepReading): PlanStep {
  refuseUnknown(source, STEP_KEYS, at, report);
  const name = requiredText(source, "name", `${at}.name`, report);
  const type = STEP_TYPES.find((known) => known === source["type"]);
  if (type === undefined) report(`${at}.type`, `must be one of ${STEP_TYPES.join(", ")}`);
  const tool = type === "skill" ? skillToolName(name) : name;
  if (type !== undefined && !powers.tools.has(tool))
    report(`${at}.name`, `is "${name}", which is not among the ${type}s of its parent`);
  const given = source["arguments"] ?? {};
  if (!isJsonObject(given)) report(`${at}.arguments`, "is no object");
  const risk = source["risk_level"] ?? null;
  const known = STEP_RISKS.find((word) => word === risk) ?? null;
  if (risk !== null && known === null) report(`${at}.risk_level`, `must be one of ${STEP_RISKS.join(", ")}`);
  return {
    id: optionalText(source, "step_id", `${at}.step_id`, report, ID) ?? `step-${index + 1}`,
    name,
    type: type ?? "tool",
    tool,
    arguments: readTemplate(given, `${at}.arguments`, { report, isKnown: (step) => ready.has(step) }),
    timeoutMs: timeoutOf(source, at, report),
    expected: optionalText(source, "expected_output", `${at}.expected_output`, report),
    output: schemaOf(source["output_schema"], at, report),
    group,
    risk: known,
  };
}

function groupOf(source: JsonObject, at: string, report: Report): string | null {
  const group = optionalText(source, "parallel_group", `${at}.parallel_group`, report, ID);
  const parallel = source["parallelizable"] ?? false;
  if (typeof parallel !== "boolean") report(`${at}.parallelizable`, "must be true or false");
  return parallel === true ? group : null;
}

function timeoutOf(source: JsonObject, at: string, report: Report): number | null {
  const value = source["timeout_ms"] ?? null;
  if (value === null) return null;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_MS) return Number(value);
  report(`${at}.timeout_ms`, `must be a whole number from 1 to ${LONGEST_MS}`);
  return null;
}

function schemaOf(source: JsonValue | undefined, at: string, report: Report): Schema | null {
  if (source === undefined || source === null) return null;
  const reading = readSchema(source);
  if (reading.ok) return reading.schema;
  report(`${at}.output_schema`, `is no schema that can be used: ${reading.problem}`);
  return null;
}

function requiredText(source: JsonObject, key: string, at: string, report: Report): string {
  const text = optionalText(source, key, at, report);
  if (text === null && (source[key] ?? null) === null) report(at, "is missing");
  return text ?? "";
}

/** null: it is not there, or it was reported. */
function optionalText(source: JsonObject, key: string, at: string, report: Report, pattern?: RegExp): string | null {
  const value = source[key] ?? null;
  if (value === null) return null;
  const fits = typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_TEXT;
  if (fits && (pattern?.test(value) ?? true)) return value;
  report(at, pattern === undefined ? "must be text that is not empty" : "must be letters, digits, - and _, at most 64");
  return null;
}

function refuseUnknown(source: JsonObject, known: readonly string[], at: string, report: Report): void {
  for (const key of Object.keys(source)) {
    if (!known.includes(key)) report(at, `has the key ${JSON.stringify(key.slice(0, 60))}, which is not known`);
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
