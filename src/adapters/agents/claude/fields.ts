/** Members of JSON that another program wrote: what is not of the kind that is looked for is not there. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

export function textAt(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}

/** A finite number that is not below zero. */
export function amountAt(object: JsonObject, name: string): number | null {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function listAt(object: JsonObject, name: string): readonly JsonValue[] {
  const value = object[name];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
