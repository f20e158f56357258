/** Shapes of single values that mean something in a blueprint: names, paths, amounts, waits. */
import { globProblem, type PathParts, pathParts } from "../../base/match/glob.ts";
import { readPattern } from "../../base/match/pattern.ts";
import type { BackoffSpec, WorkspaceSpec } from "../blueprint.ts";
import type { MapNode } from "../text/tree.ts";
import {
  duration,
  either,
  integer,
  list,
  mapped,
  object,
  oneOf,
  reportType,
  type Shape,
  scalar,
  text,
} from "./shape.ts";

export const NAME = {
  pattern: /^[a-z][a-z0-9_-]{0,63}$/,
  expected: "small letters, digits, - and _, a letter first, at most 64",
} as const;

export const VARIABLE = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  expected: "letters, digits and _, no digit first",
} as const;

/** Those that the gateway knows: a cap or a rate of another would hold for nobody. */
export const PROVIDER_NAME = {
  pattern: /^(?:anthropic|openai|google)$/,
  expected: "anthropic, openai or google",
} as const;

export const ACTION_NAME = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*$/;
const RELATIVE = /^(?!\/|[A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n]+$/;
const GATE_FILE = /^(?!\/|[A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n]+\.ya?ml$/;
const SCRIPT_FILE = /^(?!\/|[A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n]+\.(?:ya?ml|json)$/;
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

/** A file in the form of loop-engineering's gate.yaml, relative to the blueprint. */
export function gateFilePath(): Shape<string> {
  return text({
    expected: "the path of a .yaml file, relative to this one, without `..`",
    max: 1024,
    pattern: GATE_FILE,
    refusesReferences: true,
  });
}

/** A file that says what a scripted agent does, relative to the blueprint. */
export function scriptPath(): Shape<string> {
  return text({
    expected: "the path of a .yaml or .json file, relative to this one, without `..`",
    max: 1024,
    pattern: SCRIPT_FILE,
    refusesReferences: true,
  });
}

/**
 * A glob over paths: `*` stands for any characters of one name, `**` for any folders. `unfit`: where it must not begin, because
 * nothing that is compared with it begins there.
 */
export function pathPattern(unfit: readonly PathParts["from"][] = ["above"]): Shape<string> {
  const written = text({ expected: "a path such as src/**", max: 500, refusesReferences: true });
  return mapped(written, (glob, node, { problems }) => {
    const problem = globProblem(glob) ?? (unfit.includes(pathParts(glob).from) ? "it leaves the tree" : undefined);
    if (problem === undefined) return glob;
    problems.report("BLUEPRINT_GLOB_INVALID", { glob, problem }, node);
    return undefined;
  });
}

/** A pattern with a group that can be matched in linear time. */
export function linearPattern(): Shape<string> {
  return mapped(text({ expected: "a pattern of at most 500 characters", max: 500 }), (source, node, { problems }) => {
    const read = readPattern(source, { lines: true });
    if (read.ok && read.pattern.groups > 0) return source;
    const problem = read.ok ? "it has no group: put the number in parentheses" : read.problem;
    problems.report("BLUEPRINT_PATTERN_INVALID", { pattern: source, problem }, node);
    return undefined;
  });
}

export function anyNumber(min = -Number.MAX_VALUE): Shape<number> {
  return scalar({
    expected: min === 0 ? "a number from 0" : "a number",
    schema: { type: "number", ...(min === 0 ? { minimum: 0 } : {}) },
    convert: (value) => (typeof value === "number" && Number.isFinite(value) && value >= min ? value : undefined),
  });
}

export function numberBetween(min: number, max: number): Shape<number> {
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

const MOST_BYTES = 2 ** 50;
const BYTES = /^(\d{1,6})([kmgt])$/;
const BYTE_UNITS = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 } as const;

/** `512m`, `2g`: powers of 1024. */
export function byteCount(): Shape<number> {
  return scalar({
    expected: "a size such as 512m or 2g (k, m, g and t are powers of 1024)",
    schema: { type: "string", pattern: BYTES.source },
    convert(value) {
      const match = BYTES.exec(String(value));
      if (match === null) return undefined;
      const bytes = Number(match[1]) * BYTE_UNITS[match[2] as keyof typeof BYTE_UNITS];
      return bytes > 0 && bytes <= MOST_BYTES ? bytes : undefined;
    },
  });
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const PORT = "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";
const OCTET = "(?:0|1\\d{0,2}|2(?:[0-4]\\d?|5[0-5]?|[6-9])?|[3-9]\\d?)";
/** The last part of a name has a letter: what has none is some spelling of an address. */
const NAME_OF_HOST = `(?!localhost$)(?:\\*\\.)?(?:${LABEL}\\.)*(?=[a-z0-9-]*[a-z])${LABEL}(?::${PORT})?`;
const ADDRESS = `(?:${OCTET}(?:\\.${OCTET}){3}|\\[[0-9a-f:.]{2,45}\\]):${PORT}`;
const HOST = new RegExp(`^(?=.{1,259}$)(?:${NAME_OF_HOST}|${ADDRESS})$`);

/** `registry.npmjs.org`, `*.example.org`, `127.0.0.1:4873`, `[::1]:4873`. */
export function hostName(): Shape<string> {
  return text({
    expected: "a host in small letters such as example.org or *.example.org; localhost and addresses with their port",
    max: 259,
    pattern: HOST,
    refusesReferences: true,
  });
}

const MOST_FILES = 100_000_000;

/** One word is the kind. */
export function workspace(): Shape<WorkspaceSpec> {
  const kind = oneOf("clone", "worktree", "directory");
  const fields = {
    kind: { shape: kind, about: "A private clone, a linked worktree, or the project folder itself (clone)." },
    from: {
      shape: oneOf("head", "working_tree"),
      about: "Start from the commit that is checked out, or from the files as they lie there (head).",
    },
    share: {
      shape: list(relativePath(), { min: 0, max: 50 }),
      about: "Folders that git ignores and each workspace gets a copy of, such as node_modules.",
    },
    max_size: {
      shape: byteCount(),
      about: "The most bytes that one save may add; a stage that leaves more fails (4g).",
    },
    max_files: {
      shape: integer(1, MOST_FILES),
      about: "The most files that one save may add; a stage that leaves more fails (500000).",
    },
  } as const;
  return either<WorkspaceSpec>({
    scalar: mapped(kind, (value) => ({ kind: value, from: "head", share: [] })),
    map: mapped(object(fields, "workspace"), (found, _, { problems }) => {
      const kind = found.kind?.value ?? "clone";
      for (const key of ["from", "share", "max_size", "max_files"] as const) {
        const written = found[key];
        if (kind !== "directory" || written === undefined) continue;
        const data = { key, place: "a workspace that is the project folder", belongs: "clone and worktree" };
        problems.report("BLUEPRINT_KEY_MISPLACED", data, written.node);
      }
      const share = [...new Set((found.share?.value ?? []).map(({ value }) => value))].sort();
      const limits = limitsIn(found.max_size?.value, found.max_files?.value);
      return { kind, from: found.from?.value ?? "head", share, ...limits };
    }),
  });
}

function limitsIn(maxBytes?: number, maxFiles?: number): Pick<WorkspaceSpec, "maxBytes" | "maxFiles"> {
  return { ...(maxBytes === undefined ? {} : { maxBytes }), ...(maxFiles === undefined ? {} : { maxFiles }) };
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
