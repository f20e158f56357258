import { explainPlan } from "../../../plan/show/explain.ts";
import { drawGraph, mermaid } from "../../../plan/show/graph.ts";
import { explainJson } from "../../../plan/show/view.ts";
import { EXIT } from "../../exit-codes.ts";
import { COMPILE_OPTIONS, compileGiven } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec } from "../../spec.ts";
import { renderWhether } from "../../views/earned.ts";

export const planCommand: CommandSpec = {
  name: "plan",
  summary: "Show what would run, and the worst case, without running it",
  details: [
    "The worst case counts every way the run can go: stage starts, wall time, tokens, money. Nothing is run and nothing is written.",
    "Every problem of the blueprint is told at once, each with its place.",
    "For L2 and L3 it is told whether the level is earned, and which evidence is missing.",
  ],
  arguments: [{ name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true }],
  options: [
    ...COMPILE_OPTIONS,
    {
      kind: "text",
      flags: "--graph <style>",
      summary: "draw the graph instead of the table",
      choices: ["ascii", "mermaid"],
    },
  ],
  examples: [
    { line: "pawl plan blueprint.yaml", does: "stages, limits, policy and the worst case" },
    { line: "pawl plan blueprint.yaml --level L2 --param n=3", does: "with another ceiling and a parameter" },
    { line: "pawl plan blueprint.yaml --graph mermaid", does: "a drawing for a document" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const runtime = await context.open({ readOnly: true });
    const { plan, sources, cut } = await compileGiven(context, runtime);
    if (!plan.ok)
      return reportProblems(out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
    const style = given.text("graph");
    const graph = style === undefined ? undefined : (style === "mermaid" ? mermaid : drawGraph)(plan.value);
    const earned = await runtime.earned(plan.value);
    if (out.format === "json")
      out.document({
        plan: plan.value,
        explained: explainJson(plan.value, cut),
        earned,
        ...(graph === undefined ? {} : { graph }),
      });
    else out.write(graph ?? [explainPlan(plan.value, cut), ...renderWhether(earned, out.paint).map(ended)].join(""));
    return EXIT.succeeded;
  },
};

function ended(line: string): string {
  return `${line}\n`;
}
