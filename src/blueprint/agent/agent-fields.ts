/** The keys of an `agent` stage, and those that `defaults` may set for all of them. */
import type { JsonObject } from "../../base/json.ts";
import { readSchema } from "../../base/schema/schema.ts";
import { argument, expressionMap, literal, program } from "../shapes/expression-shape.ts";
import {
  either,
  type Field,
  type Found,
  integer,
  list,
  mapped,
  object,
  oneOf,
  reportType,
  type Shape,
  text,
} from "../shapes/shape.ts";
import { name, pathPattern, scriptPath } from "../shapes/value-shapes.ts";

const MOST_OUTCOMES = 16;
const use = { shape: name(), about: "The backend: scripted, command, claude, codex, acp or model." } as const;

/** What a stage and `defaults` may both say. */
const SHARED = {
  use,
  model: {
    shape: text({ expected: "a model, a tier or a chain", max: 500, refusesReferences: true }),
    about: "The model, as the routes of the gateway name it (the default of the backend).",
  },
  toolset: { shape: name(), about: "What it may use at all, such as repo_readonly (whatever policy allows)." },
  max_turns: { shape: integer(1, 100_000), about: "Most turns of one attempt." },
} as const satisfies Record<string, Field<unknown>>;

const skillName = text({
  expected: "the name of a skill such as tidy or tidy@1.2.0",
  max: 96,
  pattern: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:@\d+\.\d+\.\d+)?$/,
});

export const AGENT = object(
  {
    ...SHARED,
    goal: { shape: argument(), about: "What it is to do. Text may hold references.", isRequired: true },
    role: {
      shape: oneOf("implementer", "checker"),
      about: "implementer makes a change (default); checker judges one, sees it and your words, and may only look.",
    },
    outcomes: {
      shape: list(name(), { min: 1, max: MOST_OUTCOMES }),
      about: "What it may answer, and so where routes lead (a checker: accept, reject, escalate).",
    },
    schema: { shape: jsonSchema(), about: "JSON Schema of its answer, which becomes the output of the stage." },
    run: { shape: program(), about: "With `use: command`: the program." },
    script: { shape: scriptPath(), about: "With `use: scripted`: the file that says what it does." },
    skills: {
      shape: list(skillName, { min: 1, max: 20 }),
      about: "Skills it is told, as name or name@version; as they are when the plan is made.",
    },
    context: {
      shape: list(pathPattern(), { min: 1, max: 50 }),
      about: "Files of the project it is shown, beside AGENTS.md; as they are when the plan is made.",
    },
    with: { shape: expressionMap(), about: "Settings of the backend itself." },
  },
  "agent",
);

/** A name alone is a backend. */
export const AGENT_DEFAULTS: Shape<Found<typeof SHARED>> = either<Found<typeof SHARED>>({
  scalar: mapped(use.shape, (value, node) => ({ use: { value, node, key: node } })),
  map: object(SHARED, "agent"),
});

export type AgentFound = NonNullable<ReturnType<typeof AGENT.read>>;
export type AgentDefaultsFound = Found<typeof SHARED>;

/** One that can be checked as a whole: a word in it that nobody knows would ask for nothing. */
function jsonSchema(): Shape<JsonObject> {
  const expected = "a JSON Schema";
  return {
    schema: { type: "object" },
    read(node, reading, field) {
      if (node.kind !== "map") return reportType(node, reading, field, expected);
      const schema = literal().read(node, reading, field) as JsonObject | undefined;
      const known = schema === undefined ? null : readSchema(schema);
      if (known === null || known.ok) return schema;
      reading.problems.report(
        "BLUEPRINT_VALUE_INVALID",
        { field, expected, found: `one where ${known.problem}` },
        node,
      );
      return undefined;
    },
  };
}
