import { EXIT } from "../../exit-codes.ts";
import { jsonText } from "../../output.ts";
import type { CommandSpec } from "../../spec.ts";

export const schemaCommand: CommandSpec = {
  name: "schema",
  summary: "Print the JSON Schema of blueprints or of pawl.yaml, for editors",
  details: ["The document is the same with and without --json."],
  arguments: [],
  options: [{ kind: "flag", flags: "--project", summary: "of pawl.yaml instead of blueprints" }],
  examples: [
    { line: "pawl schema > blueprint.schema.json", does: "keep it beside your blueprints" },
    { line: "pawl schema --project > pawl.schema.json", does: "the schema of pawl.yaml" },
    { line: "pawl schema | jq '.properties | keys'", does: "the fields of a blueprint" },
  ],
  exits: [0, 1],
  formats: ["json"],
  async run(context) {
    const schema = context.given.flag("project")
      ? (await import("../../../blueprint/project/json-schema.ts")).projectJsonSchema()
      : (await import("../../../blueprint/json-schema.ts")).blueprintJsonSchema();
    context.out.write(`${jsonText(schema, 2)}\n`);
    return EXIT.succeeded;
  },
};
