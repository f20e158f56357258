/**
 * Shapes: what a value may look like. One shape both reads a value, reporting everything that is wrong with it, and says as
 * JSON Schema what it accepts, so that editors and the validator cannot disagree.
 */
import { parseDuration } from "../../base/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import { quote } from "../errors.ts";
import type { Problems } from "../problems.ts";
import type { Range } from "../text/source.ts";
import { type Entry, type MapNode, nameOf, type ScalarNode, type Tree } from "../text/tree.ts";

export interface LocatedReference extends Range {
  readonly path: readonly string[];
}

export interface Reading {
  readonly problems: Problems;
  /** Collects the references met while reading. */
  readonly references: LocatedReference[];
}

export interface Shape<T> {
  readonly schema: JsonObject;
  /** The value, or undefined after a problem was reported. `field` is what messages call the value. */
  read(node: Tree, reading: Reading, field: string): T | undefined;
}

type ValueCode =
  | "BLUEPRINT_VALUE_INVALID"
  | "BLUEPRINT_VERSION_UNSUPPORTED"
  | "BLUEPRINT_DURATION_INVALID"
  | "BLUEPRINT_PATH_INVALID";

interface ScalarOptions<T> {
  readonly expected: string;
  readonly schema: JsonObject;
  readonly code?: ValueCode;
  /** The value a scalar stands for, or undefined when it is none. */
  readonly convert: (value: ScalarNode["value"], written: string) => T | undefined;
  /** A value that depends on the run would be taken for text here. */
  readonly refusesReferences?: true;
}

export function reportType(node: Tree, reading: Reading, field: string, expected: string): undefined {
  if (node.kind !== "broken") {
    reading.problems.report("BLUEPRINT_VALUE_TYPE", { field, expected, found: nameOf(node) }, node);
  }
  return undefined;
}

export function scalar<T>({ expected, schema, code, convert, refusesReferences }: ScalarOptions<T>): Shape<T> {
  return {
    schema,
    read(node, reading, field) {
      if (node.kind !== "scalar" || node.value === null) return reportType(node, reading, field, expected);
      if (refusesReferences && String(node.value).includes("${")) {
        reading.problems.report("BLUEPRINT_REFERENCE_MISPLACED", { field }, node);
        return undefined;
      }
      const value = convert(node.value, node.written);
      if (value === undefined) {
        const found = typeof node.value === "string" ? quote(node.value) : node.written;
        reading.problems.report(code ?? "BLUEPRINT_VALUE_INVALID", { field, expected, found }, node);
      }
      return value;
    },
  };
}

export function text(options: {
  expected: string;
  max: number;
  pattern?: RegExp;
  code?: ValueCode;
  refusesReferences?: true;
}): Shape<string> {
  const { max, pattern, ...rest } = options;
  return scalar({
    ...rest,
    schema: {
      type: "string",
      minLength: 1,
      maxLength: max,
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
    },
    convert: (value) =>
      typeof value === "string" && value !== "" && value.length <= max && (pattern?.test(value) ?? true)
        ? value
        : undefined,
  });
}

export function integer(min: number, max: number): Shape<number> {
  return scalar({
    expected: `a whole number from ${min} to ${max}`,
    schema: { type: "integer", minimum: min, maximum: max },
    convert: (value) =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  });
}

export function boolean(): Shape<boolean> {
  return scalar({
    expected: "true or false",
    schema: { type: "boolean" },
    convert: (value) => (typeof value === "boolean" ? value : undefined),
  });
}

export function oneOf<const T extends string>(...names: readonly T[]): Shape<T> {
  return scalar({
    expected: `one of ${names.join(", ")}`,
    schema: { enum: names },
    convert: (value) => names.find((name) => name === value),
  });
}

const LONGEST_WAIT_MS = 366 * 86_400_000;

export function duration(minMs: 0 | 1): Shape<number> {
  return scalar({
    expected: `a duration ${minMs === 0 ? "from 0s" : "above zero"} to 366d`,
    code: "BLUEPRINT_DURATION_INVALID",
    schema: { type: "string", pattern: "^(?=\\d)(\\d+d)? ?(\\d+h)? ?(\\d+m)? ?(\\d+s)? ?(\\d+ms)?$" },
    convert(value) {
      const ms = typeof value === "string" ? parseDuration(value) : undefined;
      return ms !== undefined && ms >= minMs && ms <= LONGEST_WAIT_MS ? ms : undefined;
    },
  });
}

/** A list whose broken items are left out of the result. */
export function list<T>(of: Shape<T>, options: { readonly min: number; readonly max: number }): Shape<Given<T>[]> {
  const { min, max } = options;
  const expected = `a list of ${min} to ${max} items`;
  return {
    schema: { type: "array", items: of.schema, minItems: min, maxItems: max },
    read(node, reading, field) {
      if (node.kind !== "list") return reportType(node, reading, field, expected);
      if (node.items.length < min || node.items.length > max) {
        const found = node.items.length === 0 ? "an empty list" : `${node.items.length} items`;
        reading.problems.report("BLUEPRINT_VALUE_INVALID", { field, expected, found }, node);
        return undefined;
      }
      return node.items.flatMap((item, index) => {
        const value = of.read(item, reading, `${field}[${index}]`);
        return value === undefined ? [] : [{ value, node: item, key: item }];
      });
    },
  };
}

/** A map with names of the author's choice. */
export function record<T>(
  of: Shape<T>,
  name: {
    readonly pattern: RegExp;
    readonly expected: string;
    readonly reserved?: (key: string) => string | undefined;
  },
): Shape<(Given<T> & { readonly name: string })[]> {
  return {
    schema: { type: "object", propertyNames: { pattern: name.pattern.source }, additionalProperties: of.schema },
    read(node, reading, field) {
      if (node.kind !== "map") return reportType(node, reading, field, "a map");
      return node.entries.flatMap(({ key, at, value: inner }) => {
        const reason = name.reserved?.(key);
        if (!name.pattern.test(key)) {
          reading.problems.report("BLUEPRINT_KEY_INVALID", { field, key, expected: name.expected }, at);
        } else if (reason !== undefined) {
          reading.problems.report("BLUEPRINT_NAME_RESERVED", { name: key, reason }, at);
        }
        const value = of.read(inner, reading, `${field}.${key}`);
        return value === undefined ? [] : [{ name: key, value, node: inner, key: at }];
      });
    },
  };
}

/** A value together with the place it was written at. */
export interface Given<T> {
  readonly value: T;
  readonly node: Tree;
  readonly key: Range;
}

export interface Field<T> {
  readonly shape: Shape<T>;
  /** One sentence for editors and messages. */
  readonly about: string;
  readonly isRequired?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Found<F extends Fields> = { readonly [K in keyof F]?: F[K] extends Field<infer T> ? Given<T> : never };

/** A map with fixed keys. `place` is what messages call it. */
export function object<F extends Fields>(fields: F, place: string): Shape<Found<F>> {
  return {
    schema: objectSchema(fields),
    read(node, reading, field) {
      if (node.kind !== "map") return reportType(node, reading, field, `a map with ${Object.keys(fields).join(", ")}`);
      for (const entry of node.entries) {
        if (!Object.hasOwn(fields, entry.key)) reportUnknownKey(entry, Object.keys(fields), place, reading);
      }
      return readFields(node, node.entries, fields, place, reading);
    },
  };
}

export function reportUnknownKey(
  { key, at }: Entry,
  known: readonly string[],
  place: string,
  { problems }: Reading,
): void {
  const data = { key, place, known: known.join(", "), ...problems.guess(key, known) };
  problems.report("BLUEPRINT_KEY_UNKNOWN", data, at);
}

/** Reads the known keys among `entries` and reports those that are required and missing. */
export function readFields<F extends Fields>(
  node: MapNode,
  entries: readonly Entry[],
  fields: F,
  place: string,
  reading: Reading,
): Found<F> {
  const found: Record<string, Given<unknown>> = {};
  for (const entry of entries) {
    const field = Object.hasOwn(fields, entry.key) ? fields[entry.key] : undefined;
    const value = field?.shape.read(entry.value, reading, entry.key);
    if (value !== undefined) found[entry.key] = { value, node: entry.value, key: entry.at };
  }
  for (const [key, { isRequired, about }] of Object.entries(fields)) {
    if (isRequired && !node.entries.some((entry) => entry.key === key)) {
      reading.problems.report(
        "BLUEPRINT_KEY_MISSING",
        { key, place, about },
        { start: node.start, end: node.start + 1 },
      );
    }
  }
  return found as Found<F>;
}

export function objectSchema(fields: Fields): JsonObject {
  const required = Object.entries(fields).flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, { shape, about }]) => [key, { ...shape.schema, description: about }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Another shape for each form a value may be written in. */
export function either<T>(forms: {
  readonly scalar: Shape<T>;
  readonly list?: Shape<T>;
  readonly map?: Shape<T>;
}): Shape<T> {
  return {
    schema: { anyOf: Object.values(forms).map((form) => form.schema) },
    read(node, reading, field) {
      const form = node.kind === "broken" ? undefined : forms[node.kind];
      return (form ?? forms.scalar).read(node, reading, field);
    },
  };
}

/** The same shape with its value in another form. */
export function mapped<A, B>(
  shape: Shape<A>,
  convert: (value: A, node: Tree, reading: Reading) => B | undefined,
): Shape<B> {
  return {
    schema: shape.schema,
    read(node, reading, field) {
      const value = shape.read(node, reading, field);
      return value === undefined ? undefined : convert(value, node, reading);
    },
  };
}
