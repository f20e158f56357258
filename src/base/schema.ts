/** The part of JSON Schema that answers are held to. What it does not know it ignores, so that a schema only ever asks for less. */
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Why the value does not fit, with its place; null: it fits. */
export function schemaProblem(schema: JsonObject, value: JsonValue, place = "it"): string | null {
  const { type, enum: allowed, const: fixed } = schema;
  if (fixed !== undefined && canonical(fixed) !== canonical(value)) return `${place} is not ${canonical(fixed)}`;
  if (Array.isArray(allowed) && !allowed.some((each: JsonValue) => canonical(each) === canonical(value)))
    return `${place} is none of ${canonical(allowed)}`;
  const types: readonly JsonValue[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length > 0 && !types.some((each) => isOf(each, value))) return `${place} is no ${types.join(" or ")}`;
  if (Array.isArray(value)) return itemProblem(schema, value, place);
  return isJsonObject(value) ? memberProblem(schema, value, place) : null;
}

function isOf(type: JsonValue, value: JsonValue): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function itemProblem({ items }: JsonObject, values: readonly JsonValue[], place: string): string | null {
  if (!isJsonObject(items)) return null;
  for (const [index, value] of values.entries()) {
    const problem = schemaProblem(items, value, `${place}[${index}]`);
    if (problem !== null) return problem;
  }
  return null;
}

function memberProblem(schema: JsonObject, value: JsonObject, place: string): string | null {
  const { required, properties, additionalProperties } = schema;
  const needed: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const missing = needed.find((name) => !Object.hasOwn(value, String(name)));
  if (missing !== undefined) return `${place} has no ${String(missing)}`;
  const known = isJsonObject(properties) ? properties : {};
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined && additionalProperties === false) return `${place} must not have ${unknown}`;
  for (const [name, inner] of Object.entries(known)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    const isHeld = member !== undefined && isJsonObject(inner);
    const problem = isHeld ? schemaProblem(inner, member, `${place}.${name}`) : null;
    if (problem !== null) return problem;
  }
  return null;
}
