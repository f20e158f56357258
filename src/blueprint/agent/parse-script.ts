/** A script: what a scripted agent does, step by step. Read when the plan is made, and frozen into it. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import { parseText } from "../parse-text.ts";
import { literal } from "../shapes/expression-shape.ts";
import {
  boolean,
  type Field,
  type Found,
  type Given,
  list,
  object,
  oneOf,
  type Reading,
  type Shape,
  scalar,
  text,
} from "../shapes/shape.ts";
import { dollars, patternText, tokenCount } from "../shapes/value-shapes.ts";
import { keysOf, type Tree } from "../text/tree.ts";

const MOST_STEPS = 1000;
const anyText = text({ expected: "text", max: 200_000 });
const path = text({ expected: "a path", max: 1024 });

/** Why an agent ends badly. */
const ENDS = [
  ...(["rate_limited", "overloaded", "auth", "context_overflow", "provider", "lost"] as const),
  ...(["budget", "denied"] as const),
] as const;

const STEP_FIELDS = {
  say: { shape: anyText, about: "Says something; the last words are its answer where no `answer` is." },
  read: { shape: path, about: "Reads a file." },
  edit: {
    shape: object(
      {
        path: { shape: path, about: "The file.", isRequired: true },
        find: { shape: anyText, about: "Text that is there once.", isRequired: true },
        put: { shape: replacement(), about: "What comes in its place.", isRequired: true },
      },
      "edit",
    ),
    about: "Replaces a text in a file.",
  },
  write: {
    shape: object(
      {
        path: { shape: path, about: "The file.", isRequired: true },
        text: { shape: replacement(), about: "Its whole content.", isRequired: true },
      },
      "write",
    ),
    about: "Writes a file.",
  },
  remove: { shape: path, about: "Removes a file." },
  run: { shape: list(patternText(), { min: 1, max: 100 }), about: "Runs a program behind the wall." },
  fetch: { shape: text({ expected: "host:port", max: 300, pattern: /^[^\s/]+:\d+$/ }), about: "Opens a connection." },
  call: {
    shape: object(
      {
        tool: { shape: text({ expected: "the name of a tool", max: 200 }), about: "The tool.", isRequired: true },
        input: { shape: literal(), about: "What it is given." },
      },
      "call",
    ),
    about: "Asks for a tool by name; nothing else happens.",
  },
  usage: {
    shape: object(
      {
        tokens: { shape: tokenCount(), about: "Tokens.", isRequired: true },
        usd: { shape: dollars(), about: "Dollars." },
      },
      "usage",
    ),
    about: "Says what it has used.",
  },
  retry: { shape: anyText, about: "Says that it tries again, and why." },
  answer: { shape: literal(), about: "Its answer, as data." },
  fail: {
    shape: object(
      {
        why: { shape: oneOf(...ENDS), about: "The kind of failure.", isRequired: true },
        error: { shape: anyText, about: "What it says about it." },
      },
      "fail",
    ),
    about: "Ends badly.",
  },
  hang: { shape: boolean(), about: "Does nothing more until it is ended." },
} as const satisfies Record<string, Field<unknown>>;

type Step = Found<typeof STEP_FIELDS>;

const STEPS = list(stepShape(), { min: 1, max: MOST_STEPS });
const version = scalar({
  expected: "1",
  schema: { const: 1 },
  convert: (value) => (value === 1 ? (1 as const) : undefined),
});
const FILE = object(
  {
    version: { shape: version, about: "The version of this form: 1.", isRequired: true },
    stops_when_denied: { shape: boolean(), about: "Gives up when something is denied (goes on)." },
    attempts: {
      shape: list(STEPS, { min: 1, max: 100 }),
      about: "What it does in its first, second, … attempt; the last is repeated.",
      isRequired: true,
    },
  },
  "the script",
);

/** What a plan keeps: plain data, in the words of the file. */
export function parseScript(source: string, file: string): Result<JsonObject> {
  return parseText(source, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "the script");
    if (found === undefined) return undefined;
    return {
      stops_when_denied: found.stops_when_denied?.value ?? false,
      attempts: (found.attempts?.value ?? []).map(({ value }) => value.map((step) => plain(step.value))),
    };
  });
}

/** A step does one thing. */
function stepShape(): Shape<Step> {
  const fields = object(STEP_FIELDS, "a step");
  return {
    schema: { ...fields.schema, minProperties: 1, maxProperties: 1 },
    read(node, reading, field) {
      const step = fields.read(node, reading, field);
      if (node.kind === "map" && keysOf(node).length !== 1) reportKeys(node, field, reading);
      return step;
    },
  };
}

function reportKeys(node: Tree & { kind: "map" }, field: string, { problems }: Reading): void {
  const found = keysOf(node).join(", ") || "nothing";
  const expected = `one of ${Object.keys(STEP_FIELDS).join(", ")}`;
  problems.report("BLUEPRINT_VALUE_INVALID", { field, expected, found }, node);
}

/** Empty text is a text too. */
function replacement(): Shape<string> {
  return scalar({
    expected: "text",
    schema: { type: "string" },
    convert: (value) => (typeof value === "string" ? value : undefined),
  });
}

const MAPS: ReadonlySet<string> = new Set(["edit", "write", "call", "usage", "fail"]);

/** Places are of no use any more. */
function plain({ run, ...step }: Step): JsonObject {
  const others = Object.entries(step).map(([key, { value }]) => [
    key,
    MAPS.has(key) ? members(value as Members) : (value as JsonValue),
  ]);
  return { ...Object.fromEntries(others), ...(run === undefined ? {} : { run: run.value.map(({ value }) => value) }) };
}

type Members = Readonly<Record<string, Given<JsonValue>>>;

function members(found: Members): JsonObject {
  return Object.fromEntries(Object.entries(found).map(([key, { value }]) => [key, value]));
}
