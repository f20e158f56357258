/** Numbers as evidence: one number out of a text. What cannot be read as exactly one finite number is null, the worst score. */
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { readPattern } from "../base/match/pattern.ts";
import type { MetricSource } from "../blueprint/blueprint.ts";

const LONGEST_TEXT = 16 * 1024 * 1024;
/** Time grows with the steps of the pattern times the characters of the text: about 5 million of both a second at worst. */
const MOST_WORK = 16 * 1024 * 1024;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

export function readMetric(source: MetricSource, text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  return "regex" in source ? readMatch(source.regex, text) : readPath(source.json, text);
}

/** Several matches with the same number are one; with different numbers nobody knows which one counts. */
function readMatch(regex: string, text: string): number | null {
  const read = readPattern(regex, { lines: true });
  if (!read.ok || read.pattern.groups === 0 || read.pattern.size * text.length > MOST_WORK) return null;
  const values = new Set<number | null>();
  for (const match of read.pattern.matches(text)) {
    values.add(toNumber(match));
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
