/**
 * Models write "5" where a number is wanted. What a schema leaves no doubt about is put right, and nothing else: a text stays a text
 * wherever a text may stand, so "007" and long ids are never touched.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { hasType, type TypeName, typesOf } from "./keywords.ts";
import { readJson } from "./read-json.ts";

export interface CoercionParts {
  /** What a reference inside the schema leads to. */
  lookUp(pointer: string): JsonValue | undefined;
  fits(value: JsonValue, schema: JsonValue): boolean;
}

type Coerce = (schema: JsonValue | undefined, value: JsonValue) => JsonValue;

const WHOLE = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** More digits than a number can hold would be changed. */
const MOST_DIGITS = 15;
const MOST_REFERENCES = 16;

export function createCoercion({ lookUp, fits }: CoercionParts): Coerce {
  const resolved = (schema: JsonValue | undefined): JsonObject | undefined => {
    let found = schema;
    for (let times = 0; times < MOST_REFERENCES; times += 1) {
      if (!isJsonObject(found)) return undefined;
      if (typeof found["$ref"] !== "string") return found;
      found = lookUp(found["$ref"]);
    }
    return undefined;
  };

  const coerce: Coerce = (schema, value) => {
    const known = resolved(schema);
    if (known === undefined) return value;
    const typed = withType(typesOf(known["type"]), value);
    const inside = isJsonObject(typed) ? members(known, typed) : entries(known, typed);
    return chosen(known, inside);
  };

  const members = (schema: JsonObject, value: JsonObject): JsonObject => {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly JsonValue[]) : [];
    const kept = Object.entries(value).flatMap(([name, member]): readonly [string, JsonValue][] => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own === undefined) return [[name, member as JsonValue]];
      // Null for what may be left out means that it is left out.
      if (member === null && !required.includes(name) && !fits(null, own)) return [];
      return [[name, coerce(own, member as JsonValue)]];
    });
    return Object.fromEntries(kept);
  };

  const entries = (schema: JsonObject, value: JsonValue): JsonValue =>
    Array.isArray(value) && schema["items"] !== undefined
      ? (value as readonly JsonValue[]).map((entry) => coerce(schema["items"], entry))
      : value;

  const chosen = (schema: JsonObject, value: JsonValue): JsonValue => {
    const forms = schema["anyOf"] ?? schema["oneOf"];
    if (!Array.isArray(forms) || fits(value, schema)) return value;
    const tried = (forms as readonly JsonValue[]).map((form) => coerce(form, value));
    return tried.find((candidate) => fits(candidate, schema)) ?? value;
  };
  return coerce;
}

function withType(types: readonly TypeName[], value: JsonValue): JsonValue {
  if (types.length === 0 || types.some((type) => hasType(value, type))) return value;
  for (const type of types) {
    const found = typeof value === "string" ? fromText(type, value) : fromNumber(type, value);
    if (found !== undefined) return found;
  }
  return value;
}

function fromText(type: TypeName, text: string): JsonValue | undefined {
  if (type === "integer") return WHOLE.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  if (type === "number") return isExact(text) ? Number(text) : undefined;
  const parsed = type === "null" ? undefined : readJson(text);
  return parsed !== undefined && hasType(parsed, type) ? parsed : undefined;
}

/** A number that is written without loss is the text of it. */
function fromNumber(type: TypeName, value: JsonValue): JsonValue | undefined {
  return type === "string" && Number.isSafeInteger(value) ? String(value) : undefined;
}

function isExact(text: string): boolean {
  const digits = text.replace(/[eE].*$/, "").replace(/\D/g, "");
  return DECIMAL.test(text) && digits.length <= MOST_DIGITS && Number.isFinite(Number(text));
}
