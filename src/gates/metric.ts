/** Numbers as evidence: one number out of a text. What cannot be read as exactly one finite number is null, the worst score. */
import { RE2JS } from "re2js";
import { isJsonObject, type JsonValue } from "../base/json.ts";

/** `regex`: its first group, matched in linear time. `json`: a path such as `a.b[0].c` into the whole text. */
export type MetricSource = { readonly regex: string } | { readonly json: string };

const LONGEST_TEXT = 16 * 1024 * 1024;
const LONGEST_PATTERN = 1000;
/** Time grows with the steps of the pattern times the characters of the text: about 5 million of both a second at worst. */
const MOST_STEPS = 500;
const MOST_WORK = 16 * 1024 * 1024;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const PATH = /^[^.[\]]+(?:\[\d{1,9}\])*(?:\.[^.[\]]+(?:\[\d{1,9}\])*)*$/;

/** Why the pattern cannot be used, or undefined. Lookaround and backreferences do not exist here: nothing may take exponential time. */
export function checkPattern(regex: string): string | undefined {
  if (regex.length > LONGEST_PATTERN) return `it is longer than ${LONGEST_PATTERN} characters`;
  const pattern = compile(regex);
  if (typeof pattern === "string") return pattern;
  if (pattern.programSize() > MOST_STEPS) return "it repeats too much: bounds such as {0,50} are written out";
  return pattern.groupCount() === 0 ? "it has no group: put the number in parentheses" : undefined;
}

/** Why the path cannot be used, or undefined. */
export function checkJsonPath(path: string): string | undefined {
  return PATH.test(path) ? undefined : "it is no path such as a.b[0].c";
}

export function readMetric(source: MetricSource, text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  return "regex" in source ? readMatch(source.regex, text) : readPath(source.json, text);
}

function compile(regex: string): RE2JS | string {
  try {
    return RE2JS.compile(regex, RE2JS.MULTILINE);
  } catch (error) {
    return String((error as Error).message).replace("(?m)", "");
  }
}

/** Several matches with the same number are one; with different numbers nobody knows which one counts. */
function readMatch(regex: string, text: string): number | null {
  const pattern = compile(regex);
  if (typeof pattern === "string" || pattern.groupCount() === 0) return null;
  if (pattern.programSize() * text.length > MOST_WORK) return null;
  const matcher = pattern.matcher(text);
  const values = new Set<number | null>();
  while (matcher.find()) {
    values.add(toNumber(matcher.group(1)));
    if (values.size > 1) return null;
  }
  return [...values][0] ?? null;
}

function toNumber(text: string | null): number | null {
  const value = text !== null && NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

function readPath(path: string, text: string): number | null {
  let value: JsonValue | undefined = parse(text);
  for (const key of path.split(/[.[\]]+/).filter((part) => part !== "")) value = member(value, key);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
