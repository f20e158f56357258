/** The keywords of JSON Schema that look at one value by itself. */
import { canonical, isJsonObject, type JsonValue } from "../json.ts";
import { readPattern } from "../match/pattern.ts";

/** What is wrong with a value, or undefined. */
export type ValueTest = (value: JsonValue) => string | undefined;
/** A keyword with its argument → a test; a text says what is wrong with the argument. */
type Keyword = (argument: JsonValue) => ValueTest | string;

export const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;
export type TypeName = (typeof TYPES)[number];

const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  string: "a text",
  array: "a list",
  object: "an object",
};
const LONGEST_SHOWN = 200;

export function hasType(value: JsonValue, type: TypeName): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "null" ? value === null : typeof value === type;
}

/** The types that a schema names; none: any. */
export function typesOf(argument: JsonValue | undefined): readonly TypeName[] {
  const names = Array.isArray(argument) ? (argument as readonly JsonValue[]) : [argument];
  return TYPES.filter((type) => names.includes(type));
}

export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (argument) => {
    const names = Array.isArray(argument) ? (argument as readonly JsonValue[]) : [argument];
    const types = typesOf(argument);
    if (types.length === 0 || types.length !== new Set(names).size)
      return "is no type, or a list with one that is none";
    const wanted = types.map((type) => TYPE_WORDS[type]).join(" or ");
    return (value) => (types.some((type) => hasType(value, type)) ? undefined : `must be ${wanted}`);
  },
  enum: (argument) => {
    if (!Array.isArray(argument) || argument.length === 0) return "is no list of values";
    const known = new Set((argument as readonly JsonValue[]).map(canonical));
    const wanted = `must be one of ${shown(argument as readonly JsonValue[])}`;
    return (value) => (known.has(canonical(value)) ? undefined : wanted);
  },
  const: (argument) => {
    const only = canonical(argument);
    return (value) => (canonical(value) === only ? undefined : `must be ${shown(argument)}`);
  },
  minimum: numeric("at least", (value, bound) => value >= bound),
  maximum: numeric("at most", (value, bound) => value <= bound),
  exclusiveMinimum: numeric("more than", (value, bound) => value > bound),
  exclusiveMaximum: numeric("less than", (value, bound) => value < bound),
  multipleOf: (argument) => {
    if (typeof argument !== "number" || argument <= 0) return "is no number above 0";
    return (value) =>
      typeof value !== "number" || Number.isInteger(value / argument) ? undefined : `must be a multiple of ${argument}`;
  },
  minLength: counted("characters", lengthOf, "at least", (size, bound) => size >= bound),
  maxLength: counted("characters", lengthOf, "at most", (size, bound) => size <= bound),
  minItems: counted("entries", entriesOf, "at least", (size, bound) => size >= bound),
  maxItems: counted("entries", entriesOf, "at most", (size, bound) => size <= bound),
  minProperties: counted("members", membersOf, "at least", (size, bound) => size >= bound),
  maxProperties: counted("members", membersOf, "at most", (size, bound) => size <= bound),
  pattern: (argument) => {
    if (typeof argument !== "string") return "is no text";
    const reading = readPattern(argument);
    if (!reading.ok) return `is no pattern that can be used: ${reading.problem}`;
    return (value) =>
      typeof value !== "string" || reading.pattern.test(value) ? undefined : `must match ${shown(argument)}`;
  },
  uniqueItems: (argument) => {
    if (typeof argument !== "boolean") return "is neither true nor false";
    return (value) => {
      if (!argument || !Array.isArray(value)) return undefined;
      const different = new Set((value as readonly JsonValue[]).map(canonical));
      return different.size === value.length ? undefined : "must not have an entry twice";
    };
  },
};

function numeric(words: string, holds: (value: number, bound: number) => boolean): Keyword {
  return (argument) => {
    if (typeof argument !== "number") return "is no number";
    return (value) =>
      typeof value !== "number" || holds(value, argument) ? undefined : `must be ${words} ${argument}`;
  };
}

function counted(
  what: string,
  sizeOf: (value: JsonValue) => number | undefined,
  words: string,
  holds: (size: number, bound: number) => boolean,
): Keyword {
  return (argument) => {
    if (!Number.isSafeInteger(argument) || Number(argument) < 0) return "is no count";
    return (value) => {
      const size = sizeOf(value);
      return size === undefined || holds(size, Number(argument))
        ? undefined
        : `must have ${words} ${String(argument)} ${what}`;
    };
  };
}

/** Characters as people count them, not halves of them. */
function lengthOf(value: JsonValue): number | undefined {
  return typeof value === "string" ? Array.from(value).length : undefined;
}

function entriesOf(value: JsonValue): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function membersOf(value: JsonValue): number | undefined {
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function shown(value: JsonValue): string {
  const text = canonical(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
