/** The JSON Schema of `pawl.yaml`, written from the same table the parser reads by. */
import type { JsonObject } from "../../base/json.ts";
import { objectSchema } from "../shapes/shape.ts";
import { PROJECT_FIELDS } from "./parse-project.ts";

/** Draft 2020-12. What a schema cannot say (one source, one trigger, lanes that exist) the parser checks. */
export function projectJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "pawl.yaml",
    description: "What Pawl knows about a project: its loops, and what holds for every run.",
    ...objectSchema(PROJECT_FIELDS),
  };
}
