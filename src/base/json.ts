/** JSON as Pawl stores it. Canonical text: keys sorted, no spaces, `undefined` left out, so equal values have equal bytes. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Canonical JSON text. Throws a TypeError for what JSON cannot hold (NaN, Infinity, functions): that is a defect of the caller. */
export function canonical(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`);
    return String(Object.is(value, -0) ? 0 : value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object") return canonicalObject(value as JsonObject);
  throw new TypeError(`canonical JSON has no ${typeof value}`);
}

function canonicalObject(object: JsonObject): string {
  const keys = Object.keys(object).sort();
  let text = "";
  for (const key of keys) {
    const member = object[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${text}}`;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
