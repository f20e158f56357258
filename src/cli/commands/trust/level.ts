import { pawlError } from "../../../base/errors.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { IncidentRecord } from "../../../ports/store/evidence.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { compileAt, PARAM_OPTION } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderEarned } from "../../views/earned.ts";
import { oneLine } from "../../views/event-line.ts";

const KINDS: readonly IncidentRecord["what"][] = ["false_accept", "revert", "other"];

export const levelCommand: CommandSpec = {
  name: "level",
  summary: "Show the level a blueprint has earned, or record an incident",
  details: [
    "L3 needs five clean verified runs in a row at L2 or above and a drill within 30 days in which every planted defect was caught and every harmless change passed, all with exactly these gates, protected paths and policy.",
    "An incident takes away the level of the run it names, until as many clean runs and a fresh drill have come after it. It is recorded for good.",
  ],
  arguments: [{ name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true }],
  options: [
    PARAM_OPTION,
    { kind: "text", flags: "--incident <run>", summary: "record that this run did harm" },
    { kind: "text", flags: "--why <text>", summary: "what happened; with --incident" },
    { kind: "text", flags: "--kind <kind>", summary: "of the incident", choices: KINDS, default: "other" },
  ],
  examples: [
    { line: "pawl level fix-tests", does: "the earned level, the evidence, what is missing" },
    { line: "pawl level fix-tests --json | jq .earned", does: "for a script" },
    {
      line: 'pawl level fix-tests --incident r_4f --kind false_accept --why "it deleted a test"',
      does: "record an incident; the level sinks",
    },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const incident = given.text("incident");
    const why = given.text("why")?.trim() ?? "";
    if ((incident === undefined) !== (why === "")) {
      const message = "--incident and --why go together.";
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "level", message });
    }
    const runtime = await context.open({ readOnly: incident === undefined });
    const { plan, sources } = await compileAt(context, runtime, "L3");
    if (!plan.ok)
      return reportProblems(out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
    const recorded = incident === undefined ? null : await record(context, runtime, plan.value, incident, why);
    const earned = await runtime.earned(plan.value);
    if (out.format === "json") {
      out.document({ blueprint: plan.value.name, ...earned, ...(recorded === null ? {} : { recorded }) });
      return EXIT.succeeded;
    }
    if (recorded !== null) out.line(`incident ${recorded.id} recorded`);
    for (const line of renderEarned(plan.value.name, earned, out.paint)) out.line(line);
    return EXIT.succeeded;
  },
};

async function record(context: Context, runtime: Runtime, plan: Plan, name: string, why: string) {
  const row = await runtime.find(name);
  if (row.blueprint !== plan.name) {
    const data = { run: row.run, blueprint: oneLine(row.blueprint), wanted: plan.name };
    throw pawlError(CLI_ERRORS, "CLI_RUN_FOREIGN", data);
  }
  const ran = await runtime.plan(row.plan);
  if (ran === undefined) throw pawlError(RUN_ERRORS, "RUN_PLAN_MISSING", { run: row.run, plan: row.plan });
  return runtime.addEvidence({
    kind: "incident",
    blueprint: plan.name,
    run: row.run,
    level: ran.level,
    what: context.given.text("kind") as IncidentRecord["what"],
    why,
    by: context.by,
  });
}
