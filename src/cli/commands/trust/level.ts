import { pawlError } from "../../../base/errors.ts";
import type { Level } from "../../../blueprint/blueprint.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { IncidentRecord } from "../../../ports/store/evidence.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import { isTerminal, STATUSES, type Status } from "../../../run/reasons.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { compileAt, PARAM_OPTION } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderEarned } from "../../views/earned.ts";
import { oneLine } from "../../views/event-line.ts";

const MOST_UNDER_WAY = 100;
const KINDS: readonly IncidentRecord["what"][] = ["false_accept", "revert", "other"];

export const levelCommand: CommandSpec = {
  name: "level",
  summary: "Show the level a blueprint has earned, or record an incident",
  details: [
    "L3 needs five clean verified runs in a row at L2 or above and a drill within 30 days in which every planted defect was caught and every harmless change passed, all with exactly these gates, protected paths and policy.",
    "An incident takes away the level of the run it names, until as many clean runs and a fresh drill have come after it. It is recorded for good. A run that is under way keeps the level that it began with; those above the earned one are named.",
  ],
  arguments: [{ name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true }],
  options: [
    PARAM_OPTION,
    { kind: "text", flags: "--incident <run>", summary: "record that this run did harm" },
    { kind: "text", flags: "--why <text>", summary: "what happened; with --incident" },
    { kind: "text", flags: "--kind <kind>", summary: "of the incident; without it, other", choices: KINDS },
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
    const { out } = context;
    const incident = incidentGiven(context);
    const runtime = await context.open({ readOnly: incident === null });
    const { plan, sources } = await compileAt(context, runtime, "L3");
    if (!plan.ok)
      return reportProblems(out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
    const recorded = incident === null ? null : await record(context, runtime, plan.value, incident);
    const earned = await runtime.earned(plan.value);
    const underWay = recorded === null ? [] : await runsAbove(runtime, plan.value.name, earned.earned);
    if (out.format === "json") {
      out.document({ blueprint: plan.value.name, ...earned, ...(recorded === null ? {} : { recorded, underWay }) });
      return EXIT.succeeded;
    }
    if (recorded !== null) out.line(`incident ${recorded.id} recorded`);
    for (const line of renderEarned(plan.value.name, earned, out.paint)) out.line(line);
    for (const { run, level, status } of underWay)
      out.line(
        `${run} began at ${level} and is ${status}: nothing resumes it, what is under way goes on; pawl cancel ${run}`,
      );
    return EXIT.succeeded;
  },
};

interface Given {
  readonly name: string;
  readonly what: IncidentRecord["what"];
  readonly why: string;
}

/** null: nobody records one. */
function incidentGiven({ given }: Context): Given | null {
  const [name, kind] = [given.text("incident"), given.text("kind")];
  const why = given.text("why")?.trim() ?? "";
  const refused = (message: string) => pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "level", message });
  if ((name === undefined) !== (why === "")) throw refused("--incident and --why go together.");
  if (name !== undefined) return { name, what: (kind ?? "other") as IncidentRecord["what"], why };
  if (kind !== undefined) throw refused("--kind goes with --incident.");
  return null;
}

async function record(context: Context, runtime: Runtime, plan: Plan, { name, what, why }: Given) {
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
    what,
    why,
    by: context.by,
  });
}

/** Runs that are not over and began at a level that is not earned any more: a run keeps the level that it began with. */
async function runsAbove(runtime: Runtime, blueprint: string, earned: Level) {
  const found: { readonly run: string; readonly level: Level; readonly status: Status }[] = [];
  for (const status of STATUSES.filter((each) => !isTerminal(each))) {
    const { rows } = await runtime.list({ blueprint, status, limit: MOST_UNDER_WAY });
    for (const { run, plan } of rows) {
      const level = (await runtime.plan(plan))?.level;
      if (level !== undefined && level > earned) found.push({ run, level, status });
    }
  }
  return found;
}
