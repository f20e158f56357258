/** Parameters: what a user gives meets what a blueprint declares. Every problem is reported, not the first one. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { canonical, isJsonObject, type JsonValue } from "../base/json.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Blueprint, ParamSpec, ParamType } from "../blueprint/blueprint.ts";
import { PLAN_ERRORS } from "./errors.ts";

export type ParamValues = Readonly<Record<string, JsonValue>>;

/** The values of a plan: given ones, then defaults. */
export function giveParams(blueprint: Blueprint, given: ParamValues, problems: Diagnostic[]): ParamValues {
  problems.push(...unknownNames(blueprint, Object.keys(given)));
  const values: [string, JsonValue][] = [];
  for (const [name, spec] of blueprint.params) {
    const value = Object.hasOwn(given, name) ? given[name] : spec.default;
    const wrong = valueProblems(blueprint, name, spec, value);
    problems.push(...wrong);
    if (wrong.length === 0) values.push([name, value as JsonValue]);
  }
  return Object.fromEntries(values);
}

function unknownNames(blueprint: Blueprint, given: readonly string[]): readonly Diagnostic[] {
  const names = blueprint.params.map(([name]) => name);
  return given
    .filter((name) => !names.includes(name))
    .map((param) => {
      const near = nearest(param, names) ?? null;
      return diagnose(PLAN_ERRORS, "PLAN_PARAM_UNKNOWN", { param, blueprint: blueprint.name, near });
    });
}

/** The values a child plan has before its parent gives any. */
export function defaultParams(blueprint: Blueprint, problems: Diagnostic[]): ParamValues {
  const optional = blueprint.params.filter(([, spec]) => spec.default !== undefined);
  return giveParams({ ...blueprint, params: optional }, {}, problems);
}

/** Whether a value is of a declared type. */
export function matchesType(value: JsonValue, type: ParamType): boolean {
  return typeName(value) === type;
}

export function typeName(value: JsonValue): ParamType | "null" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return isJsonObject(value) ? "map" : (typeof value as "string" | "number" | "boolean");
}

function valueProblems(
  blueprint: Blueprint,
  param: string,
  spec: ParamSpec,
  value: JsonValue | undefined,
): readonly Diagnostic[] {
  if (value === undefined) {
    const about = spec.description === undefined ? {} : { about: spec.description };
    const data = { param, blueprint: blueprint.name, ...about, isList: spec.type === "list" };
    return [diagnose(PLAN_ERRORS, "PLAN_PARAM_MISSING", data, spec.where)];
  }
  if (!isStorable(value)) return [diagnose(PLAN_ERRORS, "PLAN_PARAM_NOT_JSON", { param }, spec.where)];
  if (spec.type === undefined || matchesType(value, spec.type)) return [];
  return [diagnose(PLAN_ERRORS, "PLAN_PARAM_TYPE", { param, type: spec.type, found: typeName(value) }, spec.where)];
}

/** A program that embeds Pawl can give anything, also what its types deny: NaN, functions, circles. */
function isStorable(value: JsonValue): boolean {
  try {
    canonical(value);
    return true;
  } catch {
    return false;
  }
}
