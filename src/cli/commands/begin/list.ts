import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { countOf } from "../../views/text/format-time.ts";
import { renderTable } from "../../views/text/table.ts";

export const listCommand: CommandSpec = {
  name: "list",
  summary: "List the blueprints of the project",
  details: [
    "Looked for: blueprint.yaml at the project root, and *.yaml in blueprints/ and pawl/. Runs are listed by `pawl status`.",
  ],
  arguments: [],
  options: [],
  examples: [
    { line: "pawl list", does: "the blueprints of this project" },
    { line: "pawl list --json | jq '.blueprints[].name'", does: "only their names" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const runtime = await context.open({ readOnly: true });
    const blueprints = await runtime.blueprints();
    if (out.format === "json") out.document({ root: context.root, blueprints });
    if (blueprints.length === 0) {
      out.line("no blueprints; write a first one with: pawl init");
      return EXIT.succeeded;
    }
    const rows = blueprints.map((file) => [
      { text: oneLine(file.name), paint: out.paint.bold },
      oneLine(file.path),
      file.problems.length === 0
        ? oneLine(file.description ?? "")
        : {
            text: `${countOf(file.problems.length, "problem")}; see: pawl plan ${oneLine(file.path)}`,
            paint: out.paint.red,
          },
    ]);
    for (const line of renderTable({ head: ["name", "path", "description"], rows }, out.columns(), out.paint.dim))
      out.line(line);
    return EXIT.succeeded;
  },
};
