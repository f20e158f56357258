/** Parameters: what a user gives meets what a blueprint declares. Every problem is reported, not the first one. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { canonical, isJsonObject, type JsonValue } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import type { Blueprint, ParamSpec, ParamType } from "../blueprint/blueprint.ts";
import { PLAN_ERRORS } from "./errors.ts";

export type ParamValues = Readonly<Record<string, JsonValue>>;

/** The values of a plan: given ones, then defaults. */
export function giveParams(blueprint: Blueprint, given: ParamValues, problems: Diagnostic[]): ParamValues {
  const names = blueprint.params.map(([name]) => name);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      const near = nearest(name, names) ?? null;
      problems.push(diagnose(PLAN_ERRORS, "PLAN_PARAM_UNKNOWN", { param: name, blueprint: blueprint.name, near }));
    }
  }
  const values: [string, JsonValue][] = [];
  for (const [name, spec] of blueprint.params) {
    const value = Object.hasOwn(given, name) ? given[name] : spec.default;
    if (value === undefined) {
      problems.push(
        diagnose(PLAN_ERRORS, "PLAN_PARAM_MISSING", { param: name, blueprint: blueprint.name }, spec.where),
      );
    } else {
      problems.push(...valueProblems(name, spec, value));
      values.push([name, value]);
    }
  }
  return Object.fromEntries(values);
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

function valueProblems(name: string, spec: ParamSpec, value: JsonValue): readonly Diagnostic[] {
  if (!isStorable(value)) return [diagnose(PLAN_ERRORS, "PLAN_PARAM_NOT_JSON", { param: name }, spec.where)];
  if (spec.type === undefined || matchesType(value, spec.type)) return [];
  const data = { param: name, type: spec.type, found: typeName(value) };
  return [diagnose(PLAN_ERRORS, "PLAN_PARAM_TYPE", data, spec.where)];
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
