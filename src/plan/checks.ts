/** What the compiler asks of a stage beyond its form: that its action or child exists and gets what it needs. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Expression } from "../base/expression.ts";
import { canonical, isJsonObject, type JsonObject } from "../base/json.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Blueprint, LeafSpec, Level, StageSpec } from "../blueprint/blueprint.ts";
import { wallIn } from "./agents/agent-wall.ts";
import { isWeaker } from "./defaults.ts";
import { PLAN_ERRORS } from "./errors.ts";
import { matchesType, typeName } from "./params.ts";
import type { ActionSignature } from "./plan.ts";
import { isAbove } from "./routes.ts";

export type ActionSpec = Extract<LeafSpec, { kind: "action" }>;
export type RunSpec = Extract<LeafSpec, { kind: "run" }>;
export type InspectionSpec = Extract<LeafSpec, { kind: "inspection" }>;

export interface Known {
  readonly actions: ReadonlyMap<string, ActionSignature>;
  readonly child: (name: string) => Blueprint | undefined;
  /** The blueprint that the stage is part of. */
  readonly of: Blueprint;
}

/** Every problem of a stage, those of the members of a group too. */
export function checkStage(spec: StageSpec, known: Known): readonly Diagnostic[] {
  switch (spec.kind) {
    case "action":
      return checkAction(spec, known);
    case "run":
      return [...checkFixedEffect(spec, "keyed"), ...checkChild(spec, known)];
    case "group":
      return [...checkFixedEffect(spec, "idempotent"), ...spec.members.flatMap((member) => checkStage(member, known))];
    case "approval":
      return [];
    case "inspection":
      return checkTree(spec, spec.by, known);
    case "gate":
      return [...checkWall(spec, known), ...checkTree(spec, spec.judge.by, known)];
    case "command":
    case "agent":
      return checkWall(spec, known);
  }
}

const COMPARING: readonly string[] = ["tests", "metric", "change", "merge"];

/** What is compared with the beginning of the run needs a tree of the run. */
function checkTree({ id, where }: StageSpec, by: string, { of }: Known): readonly Diagnostic[] {
  if (of.workspace.kind !== "directory" || !COMPARING.includes(by)) return [];
  return [diagnose(PLAN_ERRORS, "PLAN_GATE_TREELESS", { stage: id, by }, where)];
}

/** Actions that the level of the plan does not allow, in a stage that it reaches. */
export function checkLevel(
  spec: StageSpec,
  actions: ReadonlyMap<string, ActionSignature>,
  level: Level,
): readonly Diagnostic[] {
  if (spec.kind === "group") return spec.members.flatMap((member) => checkLevel(member, actions, level));
  const needs = spec.kind === "action" ? actions.get(spec.action)?.level : undefined;
  if (spec.kind !== "action" || needs === undefined || !isAbove(needs, level)) return [];
  const data = { stage: spec.id, action: spec.action, needs, level };
  return [diagnose(PLAN_ERRORS, "PLAN_ACTION_LEVEL", data, spec.where)];
}

/** A wall that could not hold what it promises is refused before anything runs. */
function checkWall(
  spec: Extract<LeafSpec, { kind: "command" | "agent" | "gate" }>,
  { of }: Known,
): readonly Diagnostic[] {
  const { sandbox, network } = wallIn(spec, of);
  const { id: stage, where } = spec;
  const writes = sandbox === "workspace_write" || sandbox === "repo_write";
  if (of.workspace.kind === "directory" && writes)
    return [diagnose(PLAN_ERRORS, "PLAN_SANDBOX_UNFIT", { stage, sandbox }, where)];
  if (of.workspace.kind === "worktree" && sandbox === "repo_write")
    return [diagnose(PLAN_ERRORS, "PLAN_REPOSITORY_SHARED", { stage }, where)];
  if (sandbox === "danger_full_access" && network.length > 0)
    return [diagnose(PLAN_ERRORS, "PLAN_NETWORK_UNENFORCEABLE", { stage }, where)];
  if (sandbox === "danger_full_access" && spec.kind !== "gate" && spec.models !== undefined)
    return [diagnose(PLAN_ERRORS, "PLAN_MODELS_UNENFORCEABLE", { stage }, where)];
  return [];
}

function checkFixedEffect(spec: StageSpec, fixed: string): readonly Diagnostic[] {
  if (spec.effect === undefined || spec.effect === fixed) return [];
  const data = { stage: spec.id, kind: spec.kind, fixed, written: spec.effect };
  return [diagnose(PLAN_ERRORS, "PLAN_EFFECT_FIXED", data, spec.where)];
}

function checkAction(spec: ActionSpec, known: Known): readonly Diagnostic[] {
  const { id: stage, action, where } = spec;
  const signature = known.actions.get(action);
  if (signature === undefined) {
    const near = nearest(action, known.actions.keys()) ?? null;
    return [diagnose(PLAN_ERRORS, "PLAN_ACTION_UNKNOWN", { stage, action, near }, where)];
  }
  const problems = [...checkInput(spec, signature)];
  if (spec.effect !== undefined && isWeaker(spec.effect, signature.effect)) {
    const data = { stage, action, declared: signature.effect, written: spec.effect };
    problems.push(diagnose(PLAN_ERRORS, "PLAN_EFFECT_WEAKENED", data, where));
  }
  return problems;
}

function checkInput(spec: ActionSpec, signature: ActionSignature): readonly Diagnostic[] {
  const { id: stage, action, where } = spec;
  const given = memberNames(spec.with);
  if (given === "any") return [];
  if (given === "none") return [diagnose(PLAN_ERRORS, "PLAN_ACTION_INPUT_NOT_MAP", { stage, action }, where)];
  const names = Object.keys(signature.input);
  const unknown = names.includes("*") ? [] : given.filter((name) => !names.includes(name));
  const missing = Object.entries(signature.input).filter(([name, { required }]) => required && !given.includes(name));
  return [
    ...unknown.map((member) => {
      const near = nearest(member, names) ?? null;
      return diagnose(PLAN_ERRORS, "PLAN_ACTION_INPUT_UNKNOWN", { stage, action, member, near }, where);
    }),
    ...missing.map(([member, { summary }]) =>
      diagnose(PLAN_ERRORS, "PLAN_ACTION_INPUT_MISSING", { stage, action, member, summary }, where),
    ),
  ];
}

/** The names an input will have; `any` when only the run can tell, `none` when it can never be a map. */
function memberNames(input: Expression): readonly string[] | "any" | "none" {
  if ("map" in input) return input.map.map(([name]) => name);
  if ("ref" in input) return "any";
  return "lit" in input && isJsonObject(input.lit) ? Object.keys(input.lit) : "none";
}

function checkChild(spec: RunSpec, known: Known): readonly Diagnostic[] {
  const child = known.child(spec.blueprint);
  if (child === undefined) {
    return [diagnose(PLAN_ERRORS, "PLAN_CHILD_NOT_FOUND", { stage: spec.id, child: spec.blueprint }, spec.where)];
  }
  if (canonical(child.workspace as unknown as JsonObject) !== canonical(known.of.workspace as unknown as JsonObject)) {
    const data = { stage: spec.id, child: child.name, parent: known.of.name };
    return [diagnose(PLAN_ERRORS, "PLAN_CHILD_WORKSPACE", data, spec.where)];
  }
  const declared = new Map(child.params);
  const given = new Set(spec.params.map(([name]) => name));
  const missing = child.params.filter(([name, param]) => param.default === undefined && !given.has(name));
  return [
    ...spec.params.flatMap(([name, value]) => checkChildParam(spec, child, declared, name, value)),
    ...missing.map(([param]) =>
      diagnose(PLAN_ERRORS, "PLAN_PARAM_MISSING", { param, blueprint: child.name }, spec.where),
    ),
  ];
}

function checkChildParam(
  spec: RunSpec,
  child: Blueprint,
  declared: ReadonlyMap<string, Blueprint["params"][number][1]>,
  param: string,
  value: Expression,
): readonly Diagnostic[] {
  const found = declared.get(param);
  if (found === undefined) {
    const near = nearest(param, declared.keys()) ?? null;
    return [diagnose(PLAN_ERRORS, "PLAN_PARAM_UNKNOWN", { param, blueprint: child.name, near }, spec.where)];
  }
  if (found.type === undefined || !("lit" in value) || matchesType(value.lit, found.type)) return [];
  return [
    diagnose(PLAN_ERRORS, "PLAN_PARAM_TYPE", { param, type: found.type, found: typeName(value.lit) }, spec.where),
  ];
}
