/** Reading members of JSON that somebody else wrote: what is not as expected is not there. */
import type { JsonObject, JsonValue } from "../../base/json.ts";

type Maybe = JsonValue | undefined;

export function objectIn(value: Maybe): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function listIn(value: Maybe): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

export function textIn(value: Maybe): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** No call takes more tokens; who says so says nothing that can be believed. */
const MOST_COUNT = 1e9;

/** A whole number from 0; null: it is none, or cannot be true. */
export function countIn(value: Maybe): number | null {
  const whole = wholeIn(value);
  return whole === null || whole > MOST_COUNT ? null : whole;
}

function wholeIn(value: Maybe): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** The most output a request allows; null: it does not say. What is said and makes no sense is undefined. */
export function limitIn(...values: readonly Maybe[]): number | null | undefined {
  const given = values.filter((value) => value !== undefined && value !== null);
  if (given.length === 0) return null;
  const counts = given.map(wholeIn);
  return counts.includes(null) ? undefined : Math.max(...(counts as number[]));
}

/** Answers to one request; null: it does not say. Beyond what any provider gives, or no number at all, is undefined. */
export function copiesIn(...values: readonly Maybe[]): number | null | undefined {
  const copies = limitIn(...values);
  return typeof copies === "number" && copies > MOST_COPIES ? undefined : copies;
}

const MOST_COPIES = 1000;

/** Whether a member with one of these names stands anywhere in it. */
export function mentions(value: Maybe, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item: JsonValue) => mentions(item, names));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) => (names.has(name) && member !== null && member !== undefined) || mentions(member, names),
  );
}

/** What a tool was given and what it gave back: any names may stand there. */
const FREE_FORM: ReadonlySet<string> = new Set(["input", "args", "response"]);

/** Whether an object like this stands anywhere in it: in a message, in what a tool has answered, in a part of a part. */
export function holds(value: Maybe, isIt: (part: JsonObject) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item: JsonValue) => holds(item, isIt));
  const part = objectIn(value);
  if (part === null) return false;
  return isIt(part) || Object.entries(part).some(([name, member]) => !FREE_FORM.has(name) && holds(member, isIt));
}

/** Whether the provider itself is to use a tool: what that brings is read too, and is not in the request. */
export function hasHostedTool(tools: Maybe, own: RegExp): boolean {
  return listIn(tools).some((tool) => {
    const type = textIn(objectIn(tool)?.["type"]);
    return type !== null && !own.test(type);
  });
}

/**
 * What such tools bring: pages that were found, the output of a program. There is no bound but the context, and that would keep an agent
 * that merely may search from every small budget: what is more is booked in full when it is told, and the next call is refused.
 */
const BROUGHT_TOKENS = 100_000;

export function broughtBy(isServed: boolean): number {
  return isServed ? BROUGHT_TOKENS : 0;
}

/** A problem when the same tokens cost more than the prices that are known; `usual`: the names of what does not. */
export function tierProblem(name: string, tier: Maybe, usual: RegExp): string | null {
  if (tier === undefined || tier === null || (typeof tier === "string" && usual.test(tier))) return null;
  return `nobody knows what this ${name} costs`;
}

/** An address of something, where the bytes themselves are not part of it. */
export function isLink(value: Maybe): boolean {
  const url = textIn(value) ?? textIn(objectIn(value)?.["url"]);
  return url !== null && !url.startsWith("data:");
}
