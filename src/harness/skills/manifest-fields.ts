/** What the front matter of SKILL.md and what manifest.yaml may say. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readSchema } from "../../base/schema/schema.ts";
import { literal } from "../../blueprint/shapes/expression-shape.ts";
import { duration, integer, list, mapped, object, oneOf, type Shape, text } from "../../blueprint/shapes/shape.ts";
import type { ToolRisk } from "../tools/tool.ts";

const SKILL_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const VERSION = /^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$/;
const PERMISSION = /^[a-z][a-z0-9_.:-]*$/;

const id = text({ expected: "small letters and digits joined by -, at most 64", max: 64, pattern: SKILL_ID });
const version = text({ expected: "a version such as 1.2.0", max: 29, pattern: VERSION });
const description = text({ expected: "text of at most 1024 characters", max: 1024 });

export const FRONT_MATTER_FIELDS = {
  name: { shape: id, about: "The name of the skill.", isRequired: true },
  description: { shape: description, about: "What it does and when to use it.", isRequired: true },
  version: { shape: version, about: "Its version (0.0.0)." },
} as const;

/** Keys of other systems that change nothing here, each with the reason. */
export const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  license: "is for people only",
  compatibility: "is for people only",
  metadata: "is for people only",
  "allowed-tools": "grants nothing: what a skill may do is for the policy to say",
};

const schema: Shape<JsonObject> = mapped(literal(), (value, node, { problems }) => {
  const reading = readSchema(value);
  if (reading.ok && isJsonObject(value)) return value;
  const found = reading.ok ? "another value" : reading.problem;
  problems.report("BLUEPRINT_VALUE_INVALID", { field: "the schema", expected: "a JSON Schema", found }, node);
  return undefined;
});

const argument = text({ expected: "text of at most 1000 characters", max: 1000 });

const EXECUTION = object(
  {
    mode: {
      shape: oneOf("declarative", "process"),
      about: "Instructions for an agent, or a program behind the wall.",
      isRequired: true,
    },
    run: {
      shape: mapped(list(argument, { min: 1, max: 50 }), (items) => items.map(({ value }) => value)),
      about: "What to start; ./name is a file of the skill.",
    },
  },
  "execution",
);

const RESOURCES = object(
  {
    max_memory_mb: { shape: integer(16, 65_536), about: "Memory of all its processes together (128)." },
    max_cpu_ms: { shape: integer(1, 3_600_000), about: "Processor time of all its processes together (30000)." },
  },
  "resources",
);

/** Words of openbotstack beside our own. */
const RISKS = {
  low: "low",
  medium: "medium",
  high: "high",
  info: "low",
  sensitive: "medium",
  clinical: "high",
  critical: "high",
} as const satisfies Record<string, ToolRisk>;
type RiskWord = keyof typeof RISKS;
const RISK_WORDS = Object.keys(RISKS) as RiskWord[];

function names(of: Shape<string>): Shape<readonly string[]> {
  return mapped(list(of, { min: 0, max: 50 }), (items) => items.map(({ value }) => value));
}

const permission = text({ expected: "a name such as net.read", max: 64, pattern: PERMISSION });

export const MANIFEST = object(
  {
    id: { shape: id, about: "The name of the skill, as in SKILL.md." },
    version: { shape: version, about: "Its version." },
    name: {
      shape: text({ expected: "text of at most 200 characters", max: 200 }),
      about: "A title, for whoever chooses a tool.",
    },
    description: { shape: description, about: "What a call of it does (as in SKILL.md)." },
    execution: { shape: EXECUTION, about: "How it is run.", isRequired: true },
    input_schema: { shape: schema, about: "JSON Schema of what it takes." },
    output_schema: { shape: schema, about: "JSON Schema of what it gives." },
    requires: { shape: names(id), about: "Skills that must be there too." },
    permissions: { shape: names(permission), about: "What whoever runs it must have been granted." },
    timeout: { shape: duration(1), about: "Longest time of one execution (30s)." },
    resources: { shape: RESOURCES, about: "The most that it may use." },
    risk_level: {
      shape: mapped(oneOf(...RISK_WORDS), (word): ToolRisk => RISKS[word]),
      about: "How much harm it can do (medium).",
    },
  },
  "manifest.yaml",
);
