/**
 * Routes: where every outcome of every stage leads, written or not. The level is a ceiling here: an edge into a stage
 * above it becomes an end, and what nobody reaches any more is not part of the plan.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { type Expression, references } from "../base/expression.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Blueprint, LeafSpec, Level, Program, StageSpec } from "../blueprint/blueprint.ts";
import { isGoodOutcome, outcomesOf } from "../blueprint/gate/outcomes.ts";
import { PLAN_ERRORS } from "./errors.ts";
import type { LeafStage, Plan, Target } from "./plan.ts";

export type Routes = Readonly<Record<string, Target>>;

export interface Routed {
  readonly spec: StageSpec;
  readonly routes: Routes;
}

const ENDS = ["done", "fail", "paused"] as const;

/** Ids of the stages that a walk may enter after this one; a pause goes on when a person resumes the run. */
export function nextOf(routes: Routes): readonly string[] {
  return Object.values(routes).flatMap(enteredBy);
}

/** Whether one of them leads to the same or an earlier stage, at once or after a rest. */
export function leadsBack(routes: Routes): boolean {
  return Object.values(routes).some(isBack);
}

function isBack(target: Target): boolean {
  const other = otherWay(target);
  return ("to" in target && target.back) || (other !== undefined && isBack(other));
}

export function enteredBy(target: Target): readonly string[] {
  const other = otherWay(target);
  return [...("to" in target ? [target.to] : []), ...(other === undefined ? [] : enteredBy(other))];
}

/** Where it may lead as well: after a rest, or once the run may only report. */
function otherWay(target: Target): Target | undefined {
  return "to" in target ? target.below : target.resume;
}

/** The stages that remain at this level with their full route tables, in the order written. */
export function routeStages(blueprint: Blueprint, level: Level, problems: Diagnostic[]): readonly Routed[] {
  const table = tableOf(blueprint, level, problems);
  const [first] = table;
  if (first === undefined) {
    problems.push(diagnose(PLAN_ERRORS, "PLAN_STAGES_MISSING", { blueprint: blueprint.name }));
    return [];
  }
  const needs = levelOf(first.spec);
  if (isAbove(needs, level)) {
    problems.push(
      diagnose(PLAN_ERRORS, "PLAN_LEVEL_TOO_LOW", { stage: first.spec.id, needs, level }, first.spec.where),
    );
  }
  const kept = reachable(table, first);
  problems.push(...cutReferences(blueprint, kept, level));
  return kept;
}

/** Ids of the stages of a blueprint that its plan does not hold. */
export function cutStages(blueprint: Blueprint, plan: Plan): readonly string[] {
  const kept = new Set(plan.stages.map((stage) => stage.id));
  return blueprint.stages.map((stage) => stage.id).filter((id) => !kept.has(id));
}

function tableOf(blueprint: Blueprint, level: Level, problems: Diagnostic[]): readonly Routed[] {
  const { stages } = blueprint;
  const places = new Map(stages.map((stage, index) => [stage.id, index]));
  /** What is entered in place of a stage; a ceiling that is below that one too ends the run. */
  const instead = (from: number, { below }: StageSpec, ceiling: Level): Target | undefined => {
    const place = below === undefined ? undefined : places.get(below.target);
    const stage = place === undefined ? undefined : stages[place];
    if (place === undefined || stage === undefined || isAbove(levelOf(stage), ceiling)) return undefined;
    return { to: stage.id, back: place <= from };
  };
  const enter = (from: number, to: number): Target => {
    const stage = stages[to];
    if (stage === undefined) return { end: "done" };
    if (isAbove(levelOf(stage), level)) return instead(from, stage, level) ?? { end: "done", cut: stage.id };
    const below = instead(from, stage, "L1");
    return { to: stage.id, back: to <= from, ...(below === undefined ? {} : { below }) };
  };
  const named = (from: number, outcome: string, target: string): Target | undefined => {
    if (target === "done" || target === "fail") return { end: target };
    // A person who resumes goes on after a stage that went well, and tries again one that did not.
    if (target === "paused") return { end: "paused", resume: enter(from, isGoodOutcome(outcome) ? from + 1 : from) };
    const place = places.get(target);
    if (place !== undefined) return enter(from, place);
    return target === "escalate" ? { end: "escalate" } : undefined;
  };
  return stages.map((spec, index) => {
    const routes = new Map(outcomesOf(spec).map((outcome) => [outcome, unwritten(outcome, enter(index, index + 1))]));
    for (const { outcome, target, where } of spec.on) {
      const route = named(index, outcome, target);
      if (!routes.has(outcome)) {
        const near = nearest(outcome, [...routes.keys()]) ?? null;
        const data = { stage: spec.id, outcome, outcomes: [...routes.keys()].join(", "), near };
        problems.push(diagnose(PLAN_ERRORS, "PLAN_OUTCOME_UNKNOWN", data, where));
      } else if (route === undefined) {
        const near = nearest(target, [...places.keys(), ...ENDS]) ?? null;
        problems.push(diagnose(PLAN_ERRORS, "PLAN_TARGET_UNKNOWN", { stage: spec.id, target, near }, where));
      } else {
        routes.set(outcome, route);
      }
    }
    return { spec, routes: Object.fromEntries(routes) };
  });
}

function unwritten(outcome: string, next: Target): Target {
  if (isGoodOutcome(outcome)) return next;
  return { end: outcome === "escalate" ? "escalate" : "fail" };
}

function reachable(table: readonly Routed[], first: Routed): readonly Routed[] {
  const byId = new Map(table.map((row) => [row.spec.id, row]));
  const seen = new Set([first]);
  // A set may grow while it is walked: what is added is walked too.
  for (const row of seen) for (const id of nextOf(row.routes)) seen.add(byId.get(id) as Routed);
  return table.filter((row) => seen.has(row));
}

/** A group runs at the level of its highest member: leaving single members out would change what it means. */
export function levelOf(spec: StageSpec): Level {
  const own = spec.level ?? "L1";
  if (spec.kind !== "group") return own;
  return spec.members.reduce((highest, member) => (isAbove(levelOf(member), highest) ? levelOf(member) : highest), own);
}

/** L0 only plans, and plans what L1 would do. */
export function isAbove(needs: Level, ceiling: Level): boolean {
  return needs > (ceiling === "L0" ? "L1" : ceiling);
}

/** References to stages that are not in the plan: they could never have a value. */
function cutReferences(blueprint: Blueprint, kept: readonly Routed[], level: Level): readonly Diagnostic[] {
  const gone = new Set(blueprint.stages.map((stage) => stage.id));
  for (const { spec } of kept) gone.delete(spec.id);
  return kept.flatMap(({ spec }) => {
    const refs = refsOfStage(spec)
      .filter(([root, id]) => root === "stages" && gone.has(id as string))
      .map((path) => ({ reference: path.join("."), needs: path[1] as string, where: spec.where }));
    const inputs = inputsOf(spec)
      .map(({ name, where }) => ({ reference: name, needs: name.slice(0, name.indexOf(".")), where }))
      .filter(({ needs }) => gone.has(needs));
    return [...refs, ...inputs].map(({ where, ...data }) =>
      diagnose(PLAN_ERRORS, "PLAN_REFERENCE_CUT", { stage: spec.id, level, ...data }, where),
    );
  });
}

function inputsOf(spec: StageSpec): StageSpec["inputs"] {
  return spec.kind === "group" ? [...spec.inputs, ...spec.members.flatMap((member) => member.inputs)] : spec.inputs;
}

/** Every reference in a stage, those of the members of a group too. */
function refsOfStage(spec: StageSpec): readonly (readonly string[])[] {
  return expressionsOf(spec).flatMap(references);
}

function expressionsOf(spec: StageSpec): readonly Expression[] {
  if (spec.kind !== "group") return leafExpressions(spec);
  const members = spec.members.flatMap(leafExpressions);
  return spec.forEach === undefined ? members : [spec.forEach, ...members];
}

/** Every expression of a leaf, as written or as planned. */
export function leafExpressions(spec: LeafSpec | LeafStage): readonly Expression[] {
  switch (spec.kind) {
    case "action":
      return [spec.with];
    case "run":
      return valuesOf(spec.params);
    case "inspection":
    case "approval":
      return [];
    case "agent": {
      const { goal, with: settings, program } = spec.agent;
      return [goal, settings, ...(program === undefined ? [] : [lineOf(program)])];
    }
    default:
      return [lineOf(spec.program), ...valuesOf(spec.env)];
  }
}

function lineOf(program: Program): Expression {
  return "argv" in program ? program.argv : program.shell;
}

function valuesOf(pairs: readonly (readonly [name: string, value: Expression])[]): readonly Expression[] {
  return pairs.map(([, value]) => value);
}
