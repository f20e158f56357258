import type { Loop } from "../../../blueprint/project/project-file.ts";
import { triggerText } from "../../../blueprint/project/trigger-text.ts";
import type { BlueprintFile } from "../../../runtime/runtime.ts";
import { EXIT } from "../../exit-codes.ts";
import type { Output } from "../../output.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { countOf } from "../../views/text/format-time.ts";
import { renderTable, type Table } from "../../views/text/table.ts";

export const listCommand: CommandSpec = {
  name: "list",
  summary: "List the loops and blueprints of the project",
  details: [
    "Loops are those of pawl.yaml. Blueprints are looked for: blueprint.yaml at the project root, and *.yaml in blueprints/ and pawl/. Runs are listed by `pawl status`.",
    "Files of other systems that run as blueprints are listed too, with the system in JSON as `door`.",
  ],
  arguments: [],
  options: [],
  examples: [
    { line: "pawl list", does: "the loops and blueprints of this project" },
    { line: "pawl list --json | jq '.blueprints[].name'", does: "only their names" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const runtime = await context.open({ readOnly: true });
    const blueprints = [...(await runtime.blueprints()), ...(await runtime.foreign())];
    const { file, sources } = await runtime.project();
    const loops = file?.ok === true ? file.value.loops : [];
    const problems = file?.ok === false ? file.problems : [];
    if (out.format === "json") {
      const listed = loops.map(({ where, ...loop }) => ({ ...loop, when: triggerText(loop.trigger) }));
      const { SHIPPED_BLUEPRINTS } = await import("../../../runtime/shipped/shipped-blueprints.ts");
      const shipped = Object.entries(SHIPPED_BLUEPRINTS).map(([name, { description, params }]) => ({
        ...{ name: `builtin:${name}`, description, params },
      }));
      const { shippedPatterns } = await import("../../../runtime/doors/pattern-door.ts");
      const patterns = shippedPatterns().map(({ name, description }) => ({ name: `pattern:${name}`, description }));
      out.document({ root: context.root, loops: listed, problems, blueprints, shipped: [...shipped, ...patterns] });
      return problems.length === 0 ? EXIT.succeeded : EXIT.usage;
    }
    const view = { problems, sources, root: context.root, cwd: context.cwd };
    const exit = problems.length === 0 ? EXIT.succeeded : reportProblems(out, view);
    if (exit === EXIT.succeeded && blueprints.length + loops.length === 0) {
      out.line("no loops and no blueprints; write a first loop with: pawl init");
      const { shippedPatterns } = await import("../../../runtime/doors/pattern-door.ts");
      out.line("\nPatterns that come with Pawl and run by name:");
      for (const line of renderTable(blueprintTable(shippedPatterns(), out), out.columns(), out.paint.dim))
        out.line(line);
      return EXIT.succeeded;
    }
    const tables = [loopTable(loops, out), blueprintTable(blueprints, out)].filter(({ rows }) => rows.length > 0);
    tables.forEach((table, at) => {
      if (at > 0) out.line();
      for (const line of renderTable(table, out.columns(), out.paint.dim)) out.line(line);
    });
    return exit;
  },
};

function loopTable(loops: readonly Loop[], out: Output): Table {
  const rows = loops.map((loop) => [
    { text: oneLine(loop.name), paint: out.paint.bold },
    loop.level,
    oneLine(triggerText(loop.trigger)),
    oneLine(loop.source),
  ]);
  return { head: ["loop", "level", "starts", "runs"], rows };
}

function blueprintTable(blueprints: readonly BlueprintFile[], out: Output): Table {
  const rows = blueprints.map((file) => [
    { text: oneLine(file.name), paint: out.paint.bold },
    oneLine(file.path),
    file.problems.length === 0
      ? oneLine(file.description ?? "")
      : {
          text: `${countOf(file.problems.length, "problem")}; see: ${whoTells(file)}`,
          paint: out.paint.red,
        },
  ]);
  return { head: ["name", "path", "description"], rows };
}

/** A registry is no blueprint: what is wrong with it is told by whoever looks at the whole project. */
function whoTells({ door, path }: BlueprintFile): string {
  return door === "pattern" ? "pawl doctor" : `pawl plan ${oneLine(path)}`;
}
