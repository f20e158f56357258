/**
 * `{{step}}` and `{{step.field}}` in the arguments of a plan, read once, when the plan is. What a step gives is a value from then on
 * and never read as a template again. `\{{` is the two braces themselves.
 */
import type { Expression } from "../../../base/expression.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

export interface TemplateProblems {
  report(at: string, problem: string): void;
  /** Whether a step of this name comes before. */
  isKnown(step: string): boolean;
}

const PARTS = /\\\{\{|\{\{([^{}]*)\}\}|\{\{/g;
const REFERENCE = /^\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\s*$/;

export function readTemplate(value: JsonValue, at: string, problems: TemplateProblems): Expression {
  if (typeof value === "string") return readText(value, at, problems);
  if (Array.isArray(value))
    return { list: value.map((item: JsonValue, index) => readTemplate(item, `${at}[${index}]`, problems)) };
  if (!isJsonObject(value)) return { lit: value };
  return {
    map: Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[key, readTemplate(member, `${at}.${key}`, problems)] as const],
    ),
  };
}

function readText(text: string, at: string, problems: TemplateProblems): Expression {
  const parts: (string | { readonly ref: readonly string[] })[] = [];
  let from = 0;
  for (const match of text.matchAll(PARTS)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push(match[0].startsWith("\\") ? "{{" : readReference(match, at, problems));
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  const [first = ""] = parts;
  if (parts.length > 1) return { text: parts };
  return typeof first === "string" ? { lit: first } : first;
}

function readReference(
  [whole, inner]: RegExpExecArray,
  at: string,
  problems: TemplateProblems,
): string | { readonly ref: readonly string[] } {
  const path = REFERENCE.exec(inner ?? "")?.[1]?.split(".");
  if (path === undefined) {
    problems.report(at, `has ${JSON.stringify(whole)}, which is no reference; write \\{{ for the braces themselves`);
    return whole;
  }
  const [step = ""] = path;
  if (!problems.isKnown(step)) problems.report(at, `refers to "${step}", and no step of this name comes before`);
  return { ref: path };
}

/** What a reference stands for; undefined: nothing. Members are those that the value has itself. */
export function lookUp(outputs: ReadonlyMap<string, JsonValue>, path: readonly string[]): JsonValue | undefined {
  const [step = "", ...members] = path;
  let value = outputs.get(step);
  for (const member of members) {
    if (Array.isArray(value))
      value = /^\d+$/.test(member) ? (value[Number(member)] as JsonValue | undefined) : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, member) ? (value as JsonObject)[member] : undefined;
  }
  return value;
}
