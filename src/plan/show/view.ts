/** A plan as plain data for people and tools: one row a stage, with what it would run and what policy says to that. */
import { type Expression, resolve } from "../../base/expression.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { createRedactor, redactJson } from "../../base/redact.ts";
import type { AgentRole, EffectClass, Level, ModelsSpec, WorkspaceSpec } from "../../blueprint/blueprint.ts";
import { outcomesOf } from "../../blueprint/gate/outcomes.ts";
import type { QuotaVendor } from "../../limits/quota/signals.ts";
import { compilePolicy } from "../../policy/compile.ts";
import { decide } from "../../policy/decide.ts";
import { describeRequest } from "../../policy/describe.ts";
import { hidingPrograms } from "../../policy/hiding-programs.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Decision } from "../../policy/rule.ts";
import type {
  ActionStage,
  Bound,
  GroupStage,
  LeafStage,
  Origin,
  Plan,
  PlanLimits,
  PlanProgram,
  PlanStage,
  StageKind,
  Target,
  Wall,
} from "../plan.ts";
import { worstVisits } from "../visits.ts";

export interface StageRow {
  /** Path of the stage; a member is `group.member`. */
  readonly stage: string;
  readonly title: string | null;
  readonly kind: StageKind;
  /** What it would do, on one line. */
  readonly runs: string;
  readonly effect: EffectClass;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** The wall around its process; null: it starts none. */
  readonly wall: Wall | null;
  /** What it may use of models in one attempt; without it, nothing. */
  readonly models?: ModelsSpec;
  /** Whose limit messages lay it to rest instead of failing it; without it, nobody's. */
  readonly quota?: QuotaVendor;
  /** Of an agent: the backend, and what it is held to. */
  readonly agent?: {
    readonly use: string;
    readonly role: AgentRole;
    readonly model: string | null;
    readonly toolset: string | null;
    readonly maxTurns: number | null;
  };
  /** Where the third-party text that it reads came from; empty: it reads none. */
  readonly taint: readonly string[];
  /** The most visits in one run; for a member, those of its group. */
  readonly visits: number;
  /** Outcomes in the order of `outcomesOf`; none for a member. */
  readonly routes: readonly { readonly outcome: string; readonly target: Target }[];
  /** What policy says now; null where the request is only known when the stage begins, or where there is none. */
  readonly policy: Decision | null;
}

export interface PlanView {
  readonly name: string;
  /** Of which system, and which of its files, it is. */
  readonly origin?: Origin;
  readonly level: Level;
  readonly fingerprint: string;
  readonly params: JsonValue;
  readonly limits: PlanLimits;
  readonly workspace: WorkspaceSpec | null;
  readonly bound: Bound;
  readonly stages: readonly StageRow[];
  /** Allowed programs that could start a command which no rule that denies or asks would see. */
  readonly hidingPrograms: readonly string[];
  /** Stages of the blueprint that the level leaves out, as far as they are known. */
  readonly cut: readonly string[];
  /** Every child plan once, nested ones too. */
  readonly children: readonly PlanView[];
}

type Lookup = (path: readonly string[]) => JsonValue | undefined;

const redact = createRedactor({ secrets: [] });

/** `cut`: stages known to be left out; those that a route of the plan names are added. */
export function explainJson(plan: Plan, cut: readonly string[] = []): PlanView {
  // Parameters of a child are only known when its parent starts it.
  const children = descendants(plan).map((child) => viewOf(child, () => undefined, cutOf(child), []));
  const lookup: Lookup = ([root, ...path]) => (root === "params" ? memberAt(plan.params, path) : undefined);
  return viewOf(plan, lookup, [...new Set([...cut, ...cutOf(plan)])], children);
}

function modelsOf(stage: PlanStage): Pick<StageRow, "models"> {
  return "models" in stage && stage.models !== undefined ? { models: stage.models } : {};
}

function quotaOf(stage: PlanStage): Pick<StageRow, "quota"> {
  return "quota" in stage && stage.quota !== undefined ? { quota: stage.quota } : {};
}

function agentOf(stage: PlanStage): Pick<StageRow, "agent"> {
  if (stage.kind !== "agent") return {};
  const { use, role, model, toolset, maxTurns } = stage.agent;
  return { agent: { use, role, model, toolset: toolset?.name ?? null, maxTurns } };
}

function viewOf(plan: Plan, lookup: Lookup, cut: readonly string[], children: readonly PlanView[]): PlanView {
  const { name, origin, level, fingerprint, limits, workspace, bound } = plan;
  const { most } = worstVisits(plan.stages, limits);
  const names = new Map(plan.children.map((child) => [child.fingerprint, child.name]));
  const policy = compilePolicy(plan.rules);
  const rowOf = (stage: PlanStage, path: string, visits: number): StageRow => {
    const request = stage.kind === "group" ? null : requestOf(stage, lookup);
    return {
      stage: path,
      title: stage.title ?? null,
      kind: stage.kind,
      runs: redact.text(
        request === null || stage.kind === "agent"
          ? describeStage(stage as Exclude<PlanStage, ActionStage>, names)
          : describeRequest(request),
      ),
      effect: stage.effect,
      maxAttempts: stage.maxAttempts,
      timeoutMs: stage.timeoutMs,
      wall: "wall" in stage ? stage.wall : null,
      ...modelsOf(stage),
      ...quotaOf(stage),
      ...agentOf(stage),
      taint: stage.taint ?? [],
      visits,
      routes: outcomesOf(stage).flatMap((outcome) => {
        const target = stage.routes[outcome];
        return target === undefined ? [] : [{ outcome, target }];
      }),
      policy: request === null ? null : decide(policy, request),
    };
  };
  const stages = plan.stages.flatMap((stage) => {
    const visits = Math.min(most.get(stage.id) as number, limits.stages ?? Number.POSITIVE_INFINITY);
    const members = stage.kind === "group" ? stage.members : [];
    return [
      rowOf(stage, stage.id, visits),
      ...members.map((member) => rowOf(member, `${stage.id}.${member.id}`, visits)),
    ];
  });
  return {
    name,
    ...(origin === undefined ? {} : { origin }),
    level,
    fingerprint,
    params: redactJson(plan.params, redact.text),
    limits,
    workspace,
    bound,
    stages,
    hidingPrograms: hidingPrograms(plan.rules),
    cut,
    children,
  };
}

/** The stages that routes of the plan would lead to at a higher level. */
function cutOf(plan: Plan): readonly string[] {
  const cuts = (target: Target): readonly string[] => {
    if ("to" in target) return [];
    return [
      ...(target.cut === undefined ? [] : [target.cut]),
      ...(target.resume === undefined ? [] : cuts(target.resume)),
    ];
  };
  return [...new Set(plan.stages.flatMap((stage) => Object.values(stage.routes).flatMap(cuts)))];
}

function descendants(plan: Plan): readonly Plan[] {
  const found = new Map<string, Plan>();
  const visit = (parent: Plan): void => {
    for (const child of parent.children) {
      if (found.has(child.fingerprint)) continue;
      found.set(child.fingerprint, child);
      visit(child);
    }
  };
  visit(plan);
  return [...found.values()];
}

/** Exactly what policy would be asked, when it follows from the plan alone. */
function requestOf(leaf: LeafStage, lookup: Lookup): PolicyRequest | null {
  if (leaf.kind === "run" || leaf.kind === "inspection" || leaf.kind === "approval") return null;
  if (leaf.kind === "action") return { kind: "action", action: leaf.action };
  if (leaf.kind !== "agent") return programRequest(leaf.program, lookup);
  const { program, use } = leaf.agent;
  return program === undefined ? { kind: "action", action: `agent.${use}` } : programRequest(program, lookup);
}

function programRequest(program: PlanProgram, lookup: Lookup): PolicyRequest | null {
  if ("shell" in program) {
    const script = staticText(program.shell, lookup);
    return script === null ? null : { kind: "shell", script };
  }
  const argv = staticArgv(program.argv, lookup);
  return argv === null ? null : { kind: "run", argv };
}

function staticText(expression: Expression, lookup: Lookup): string | null {
  const resolved = resolve(expression, lookup);
  return resolved.ok && typeof resolved.value !== "object" ? String(resolved.value) : null;
}

function staticArgv(expression: Expression, lookup: Lookup): readonly string[] | null {
  const resolved = resolve(expression, lookup);
  if (!resolved.ok || !Array.isArray(resolved.value) || resolved.value.length === 0) return null;
  const items = resolved.value as readonly JsonValue[];
  return items.some((item) => typeof item === "object") ? null : items.map(String);
}

function memberAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const name of path) {
    const isContainer = isJsonObject(current) || Array.isArray(current);
    if (!isContainer || !Object.hasOwn(current as object, name)) return undefined;
    current = (current as JsonObject)[name];
  }
  return current;
}

/** What a stage does as far as the plan tells. The request of an action always follows from the plan. */
function describeStage(stage: Exclude<PlanStage, ActionStage>, names: ReadonlyMap<string, string>): string {
  switch (stage.kind) {
    case "run":
      return `blueprint ${names.get(stage.plan)}`;
    case "group":
      return describeGroup(stage);
    case "approval":
      return `asks a person${stage.question === null ? "" : `: ${stage.question}`}`;
    case "inspection":
      return `the ${stage.by} since the run began`;
    case "agent": {
      const { use, role, goal } = stage.agent;
      return `${use} as ${role}: ${showExpression(goal)}`;
    }
    default:
      return describeProgram(stage.program);
  }
}

function describeProgram(program: PlanProgram): string {
  if ("shell" in program) return `shell ${showExpression(program.shell)}`;
  const { argv } = program;
  return `run ${"list" in argv ? argv.list.map(showExpression).join(" ") : showExpression(argv)}`;
}

function describeGroup(group: GroupStage): string {
  const together = `${group.maxParallel} at a time`;
  if (group.forEach === null) return `${group.members.length} members, ${together}`;
  return `for each of ${showExpression(group.forEach)}, at most ${group.maxItems}, ${together}`;
}

/** The expression as an author would write it, on one line. */
function showExpression(expression: Expression): string {
  if ("lit" in expression) return typeof expression.lit === "string" ? expression.lit : JSON.stringify(expression.lit);
  if ("ref" in expression) return showRef(expression.ref);
  if ("text" in expression)
    return expression.text.map((part) => (typeof part === "string" ? part : showRef(part.ref))).join("");
  if ("list" in expression) return `[${expression.list.map(showExpression).join(", ")}]`;
  return `{${expression.map.map(([key, value]) => `${key}: ${showExpression(value)}`).join(", ")}}`;
}

function showRef(path: readonly string[]): string {
  return `\${${path.join(".")}}`;
}
