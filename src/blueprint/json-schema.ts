/** The JSON Schema of a blueprint, written from the same table the validator reads by. */
import type { JsonObject } from "../base/json.ts";
import { BLUEPRINT_FIELDS, type KindName, STAGE_FIELDS, STAGE_KINDS, type StageField } from "./fields.ts";
import { type Field, objectSchema } from "./shapes/shape.ts";

/** Draft 2020-12. What a schema cannot say (routes, references, names that must exist) the validator checks. */
export function blueprintJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Pawl blueprint",
    description: "A graph of stages that runs within limits and policy.",
    ...objectSchema(BLUEPRINT_FIELDS),
    $defs: {
      stage: { oneOf: STAGE_KINDS.map((kind) => stageSchema(kind, ["id", kind], () => true)) },
      member: {
        oneOf: STAGE_KINDS.filter((kind) => kind !== "group").map((kind) =>
          stageSchema(kind, [kind], (field) => !field.isTopOnly),
        ),
      },
    },
  };
}

function stageSchema(
  kind: KindName,
  required: readonly string[],
  has: (field: StageField<unknown>) => boolean,
): JsonObject {
  const fields: Record<string, Field<unknown>> = {};
  for (const [key, field] of Object.entries<StageField<unknown>>(STAGE_FIELDS)) {
    if (!field.kinds.includes(kind) || !has(field)) continue;
    fields[key] = required.includes(key) ? { ...field, isRequired: true } : field;
  }
  return { title: `${kind} stage`, ...objectSchema(fields) };
}
