import { blueprintJsonSchema } from "../../../blueprint/json-schema.ts";
import { EXIT } from "../../exit-codes.ts";
import { jsonText } from "../../output.ts";
import type { CommandSpec } from "../../spec.ts";

export const schemaCommand: CommandSpec = {
  name: "schema",
  summary: "Print the JSON Schema of blueprints, for editors",
  details: ["The document is the same with and without --json."],
  arguments: [],
  options: [],
  examples: [
    { line: "pawl schema > blueprint.schema.json", does: "keep it beside your blueprints" },
    { line: "pawl schema | jq '.properties | keys'", does: "the fields of a blueprint" },
  ],
  exits: [0],
  formats: ["json"],
  run(context) {
    context.out.write(`${jsonText(blueprintJsonSchema(), 2)}\n`);
    return Promise.resolve(EXIT.succeeded);
  },
};
