import type { Level } from "../../../blueprint/blueprint.ts";
import { type BudgetReport, type CapStanding, capsOfLoop, tightestDay } from "../../../runtime/money/budget.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { EXIT } from "../../exit-codes.ts";
import { isPattern } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { NO_CAPS, renderBudgetLine, renderCaps, renderOpen } from "../../views/money/budget.ts";

export const budgetCommand: CommandSpec = {
  name: "budget",
  summary: "Show every cap: what was spent, what is held, what is left",
  details: [
    "Caps come from pawl.yaml, from loop-budget.md and from patterns/registry.yaml (or registry.yaml) at the project root; a pattern that comes with Pawl is held to the registry that comes with it. All of them apply, and the strictest wins; the suggestion of the registry counts only where loop-budget.md says nothing about the tokens of that loop.",
    "What is held was reserved by something under way: it counts until it is settled, also after a crash.",
    "A file of caps that cannot be read is an error here and stops every run: a cap is never silently left out.",
  ],
  arguments: [{ name: "blueprint", summary: "only the caps that a run of this name has to keep", required: false }],
  options: [
    {
      kind: "text",
      flags: "--level <level>",
      summary: "of runs at this level, where a cap depends on it",
      choices: ["L0", "L1", "L2", "L3"],
      default: "L1",
    },
  ],
  examples: [
    { line: "pawl budget", does: "every cap of the project" },
    { line: "pawl budget daily-triage", does: "those of one loop, with what it spent today" },
    { line: "pawl budget --json | jq '.caps[] | {amount, left: .standing.left}'", does: "for a script" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const runtime = await context.open({ readOnly: true });
    const loop = given.text("blueprint");
    const report = await budgetFor(context, runtime);
    const { caps: all, open, hasMore, sources } = report;
    if (!all.ok) return reportProblems(out, { problems: all.problems, sources, root: context.root, cwd: context.cwd });
    const caps = loop === undefined ? all.value : capsOfLoop(all.value, loop);
    const today = todayOf(caps, loop);
    if (out.format === "json") out.document({ caps, open, hasMore, today });
    else {
      const view = { now: context.now(), columns: out.columns(), paint: out.paint };
      const lines = caps.length === 0 ? [...NO_CAPS] : renderCaps(caps, view);
      if (open.length > 0) lines.push("", ...renderOpen(report, view));
      if (today !== null) lines.push("", renderBudgetLine(today));
      for (const line of lines) out.line(line);
    }
    return EXIT.succeeded;
  },
};

/** A pattern may be one that comes with Pawl: what it has to keep is no part of the project. */
async function budgetFor(context: Context, runtime: Runtime): Promise<BudgetReport> {
  const { given } = context;
  const ofPattern = given.text("blueprint") !== undefined && (await isPattern(context, runtime));
  return runtime.budget(given.text("level") as Level, ofPattern);
}

/** Without a name it is clear only when there is at most one loop that it can mean. */
function todayOf(caps: readonly CapStanding[], loop: string | undefined): CapStanding | null {
  const loops = new Set(caps.flatMap(({ account }) => (account.scope === "loop" ? [account.name] : [])));
  return loop === undefined && loops.size > 1 ? null : tightestDay(caps, loop ?? [...loops].join(""));
}
