/** JSON as Pawl stores it. Canonical text: keys sorted, no spaces, `undefined` left out, so equal values have equal bytes. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Characters that a JSON string must escape, and surrogates, which it must escape when they stand alone. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Beyond these sizes the built-in ways are faster than the short ones below. */
const SHORT_STRING = 64;
const FEW_KEYS = 16;
/** Keys seen before, as they stand in the text. Most objects share their keys with many others. */
const KEYS = new Map<string, string>();
const MOST_KEYS = 1000;

/** Canonical JSON text. Throws a TypeError for what JSON cannot hold (NaN, Infinity, functions): that is a defect of the caller. */
export function canonical(value: JsonValue): string {
  return typeof value === "object" && isInOrder(value) ? JSON.stringify(value) : ordered(value);
}

/** It holds nothing but JSON, and every key stands where canonical text has it: the built-in way, which is faster, gives the same. */
function isInOrder(value: JsonValue | undefined): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" || typeof value === "boolean" || value === null;
  if (Array.isArray(value)) return value.every(isInOrder);
  let last = "";
  for (const key in value as JsonObject) {
    if (key < last) return false;
    last = key;
    const member = (value as JsonObject)[key];
    if (member !== undefined && !isInOrder(member)) return false;
  }
  return true;
}

function ordered(value: JsonValue): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`);
    return value === 0 ? "0" : `${value}`;
  }
  if (value === null || typeof value === "boolean") return `${value}`;
  if (Array.isArray(value)) return canonicalArray(value as readonly JsonValue[]);
  if (typeof value === "object") return canonicalObject(value as JsonObject);
  throw new TypeError(`canonical JSON has no ${typeof value}`);
}

function quoted(text: string): string {
  return text.length < SHORT_STRING && !ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text);
}

function canonicalArray(list: readonly JsonValue[]): string {
  let text = "[";
  for (let i = 0; i < list.length; i += 1) {
    if (i > 0) text += ",";
    text += ordered(list[i] as JsonValue);
  }
  return `${text}]`;
}

function canonicalObject(object: JsonObject): string {
  let text = "";
  for (const key of sortedKeys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    text += (text === "" ? "" : ",") + keyText(key) + ordered(member);
  }
  return `{${text}}`;
}

function keyText(key: string): string {
  const known = KEYS.get(key);
  if (known !== undefined) return known;
  const text = `${quoted(key)}:`;
  if (KEYS.size < MOST_KEYS) KEYS.set(key, text);
  return text;
}

/** In the order of UTF-16 code units. Few keys are sorted by insertion, which costs less than a call of `sort`. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] as string;
    let j = i - 1;
    while (j >= 0 && (keys[j] as string) > key) {
      keys[j + 1] = keys[j] as string;
      j -= 1;
    }
    keys[j + 1] = key;
  }
  return keys;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
