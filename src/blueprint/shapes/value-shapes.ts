/** Shapes of single values that mean something in a blueprint: names, paths, amounts, waits. */
import type { BackoffSpec } from "../blueprint.ts";
import type { MapNode } from "../text/tree.ts";
import { duration, either, mapped, object, reportType, type Shape, scalar, text } from "./shape.ts";

export const NAME = {
  pattern: /^[a-z][a-z0-9_-]{0,63}$/,
  expected: "small letters, digits, - and _, a letter first, at most 64",
} as const;

export const VARIABLE = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  expected: "letters, digits and _, no digit first",
} as const;

export const ACTION_NAME = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*$/;
const RELATIVE = /^(?!\/|[A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n]+$/;
const BLUEPRINT_FILE = /^(?!\/|[A-Za-z]:)[^\\\r\n]+\.ya?ml$/;

export function name(): Shape<string> {
  return text({ ...NAME, max: 64 });
}

export function relativePath(): Shape<string> {
  return text({
    expected: "a relative path without `..`",
    max: 1024,
    pattern: RELATIVE,
    code: "BLUEPRINT_PATH_INVALID",
    refusesReferences: true,
  });
}

export function blueprintPath(): Shape<string> {
  return text({
    expected: "the path of a .yaml file, relative to this one",
    max: 1024,
    pattern: BLUEPRINT_FILE,
    refusesReferences: true,
  });
}

function numberBetween(min: number, max: number): Shape<number> {
  return scalar({
    expected: `a number from ${min} to ${max}`,
    schema: { type: "number", minimum: min, maximum: max },
    convert: (value) => (typeof value === "number" && value >= min && value <= max ? value : undefined),
  });
}

/** One duration is a steady wait. */
export function backoff(): Shape<BackoffSpec> {
  const fields = {
    first: { shape: duration(0), about: "Wait before the second attempt.", isRequired: true },
    factor: { shape: numberBetween(1, 100), about: "Each further wait is so many times longer (2)." },
    max: { shape: duration(0), about: "No wait is longer (5m, or `first` when that is longer)." },
  } as const;
  return either<BackoffSpec>({
    scalar: mapped(duration(0), (ms) => ({ firstMs: ms, factor: 1, maxMs: ms })),
    map: mapped(object(fields, "backoff"), ({ first, factor, max }, node, { problems }) => {
      const firstMs = first?.value ?? 0;
      const maxMs = max?.value ?? Math.max(firstMs, 300_000);
      if (maxMs < firstMs) {
        const data = { field: "max", expected: "at least as long as first", found: "shorter" };
        problems.report("BLUEPRINT_VALUE_INVALID", data, node);
      }
      return { firstMs, factor: factor?.value ?? 2, maxMs };
    }),
  });
}

const MOST_TOKENS = 1e12;
const TOKENS = /^(\d{1,6}(?:\.\d{1,3})?)([km])$/;

/** `500000`, `500k`, `1.5m`. */
export function tokenCount(): Shape<number> {
  return scalar({
    expected: "a whole number of tokens such as 500000, 500k or 1.5m",
    schema: {
      anyOf: [
        { type: "integer", minimum: 0, maximum: MOST_TOKENS },
        { type: "string", pattern: TOKENS.source },
      ],
    },
    convert(value) {
      const match = TOKENS.exec(String(value));
      const count = match === null ? value : Math.round(Number(match[1]) * (match[2] === "k" ? 1000 : 1_000_000));
      return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS
        ? count
        : undefined;
    },
  });
}

const MOST_USD = 1_000_000;

/** Dollars → micro-dollars. */
export function dollars(): Shape<number> {
  return scalar({
    expected: `an amount of dollars from 0 to ${MOST_USD} with at most six decimals`,
    schema: { type: "number", minimum: 0, maximum: MOST_USD },
    convert(value) {
      if (typeof value !== "number" || value < 0 || value > MOST_USD) return undefined;
      const microUsd = Math.round(value * 1e6);
      return microUsd / 1e6 === value ? microUsd : undefined;
    },
  });
}

/** A map that has rules of its own, read afterwards. `definition` names its schema. */
export function mapOf(definition: string, expected: string): Shape<MapNode> {
  return {
    schema: { $ref: `#/$defs/${definition}` },
    read: (node, reading, field) => (node.kind === "map" ? node : reportType(node, reading, field, expected)),
  };
}

/** Text with `*` in it; a plain number counts as the text it was written as. */
export function patternText(): Shape<string> {
  return scalar({
    expected: "text that is not empty",
    schema: { type: ["string", "number", "boolean"] },
    convert: (value, written) => (typeof value === "string" ? value || undefined : written),
  });
}
