import { pawlError } from "../../../base/errors.ts";
import type { Level } from "../../../blueprint/blueprint.ts";
import type { Pattern } from "../../../blueprint/dialects/registry.ts";
import { type CostLevel, type Estimate, estimateCost } from "../../../limits/cost/estimate.ts";
import { ORCHESTRATIONS, type Orchestration, parseOrchestration } from "../../../limits/cost/orchestration.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { CostsOfRuns } from "../../../runtime/money/past-costs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { compileAt, hasBlueprint, PARAM_OPTION } from "../../input/find-blueprint.ts";
import { suggest } from "../../input/suggest.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { type CostView, renderBound, renderCosts, renderEstimate, WARNINGS } from "../../views/money/cost.ts";

export const costCommand: CommandSpec = {
  name: "cost",
  summary: "Say what a pattern would cost, or what a blueprint can cost and its runs have cost",
  details: [
    "A pattern of patterns/registry.yaml: runs a day × how runs of the level usually go × the estimates of the registry, in tokens. Nothing has to have run.",
    "A blueprint: the worst case of one run, and what its newest runs really cost. Each run counts once and failures are part of the price; lost attempts count as what they may have spent; runs of drills are left out.",
  ],
  arguments: [{ name: "blueprint", summary: "id of a pattern, path of a blueprint, or a name", required: true }],
  options: [
    {
      kind: "text",
      flags: "--level <level>",
      summary: "the level (L1; of a pattern, its level of the first week)",
      choices: ["L1", "L2", "L3"],
    },
    PARAM_OPTION,
    { kind: "count", flags: "--runs <n>", summary: "how many of the newest runs to count", min: 1, default: 200 },
    { kind: "flag", flags: "--slow", summary: "of a pattern: count with the slow end of its cadence" },
    { kind: "text", flags: "--agents <how>", summary: `of a pattern: ${ORCHESTRATIONS}`, default: "single" },
  ],
  examples: [
    { line: "pawl cost ci-sweeper --level L2", does: "worst case and realistic case of a pattern, with warnings" },
    { line: "pawl cost ci-sweeper --agents maker-checker --slow", does: "with a second agent that checks, less often" },
    { line: "pawl cost fix-tests", does: "worst case of a run, and what its runs cost" },
    { line: "pawl cost fix-tests --json | jq .past.perMerged", does: "what one merged change costs" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given, root, cwd } = context;
    const name = given.text("blueprint") ?? "";
    const agents = agentsGiven(context);
    const runtime = await context.open({ readOnly: true });
    const { patterns, sources } = await runtime.loopFiles();
    if (!patterns.ok) return reportProblems(out, { problems: patterns.problems, sources, root, cwd });
    const pattern = patterns.value.find(({ id }) => id === name);
    const past = await runtime.costs(name, given.count("runs") ?? 200);
    const estimated = pattern === undefined ? null : estimateOf(context, pattern, agents);
    if (!(await hasBlueprint(context, runtime, name)))
      return withoutPlan(context, patterns.value, { pattern, estimated, past });
    const compiled = await compileAt(context, runtime, (given.text("level") as Level | undefined) ?? "of the loop");
    if (!compiled.plan.ok)
      return reportProblems(out, { problems: compiled.plan.problems, sources: compiled.sources, root, cwd });
    const plan = compiled.plan.value;
    return tell(context, { pattern, estimated, plan, past: await pastOf(runtime, plan, past, context) });
  },
};

interface Told {
  readonly pattern: Pattern | undefined;
  readonly estimated: Estimate | null;
  readonly plan: Plan | null;
  readonly past: CostsOfRuns;
}

function agentsGiven({ given }: Context): Orchestration {
  const text = given.text("agents") ?? "";
  const agents = parseOrchestration(text);
  if (agents !== undefined) return agents;
  const message = `--agents: "${text}" is none of ${ORCHESTRATIONS}.`;
  throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "cost", message });
}

function estimateOf(
  { given }: Context,
  { costs, cadence, weekOneLevel }: Pattern,
  agents: Orchestration,
): Estimate | null {
  const level = (given.text("level") ?? weekOneLevel ?? "L1") as CostLevel;
  return costs === null
    ? null
    : estimateCost(costs, cadence, { level, orchestration: agents, slowest: given.flag("slow") });
}

/** A path has runs under the name that stands in it. */
async function pastOf(runtime: Runtime, plan: Plan, past: CostsOfRuns, { given }: Context): Promise<CostsOfRuns> {
  return plan.name === past.blueprint ? past : runtime.costs(plan.name, given.count("runs") ?? 200);
}

function withoutPlan(context: Context, patterns: readonly Pattern[], told: Omit<Told, "plan">): ExitCode {
  const name = context.given.text("blueprint") ?? "";
  if (told.pattern !== undefined || told.past.runs + told.past.open > 0) return tell(context, { ...told, plan: null });
  const near = suggest(
    name,
    patterns.map(({ id }) => id),
  );
  throw pawlError(CLI_ERRORS, "CLI_COST_UNKNOWN", { name, near });
}

function tell({ out, given }: Context, { pattern, estimated, plan, past }: Told): ExitCode {
  if (out.format === "json") {
    const warnings = estimated?.warnings.map((warning) => WARNINGS[warning](estimated)) ?? [];
    const bound = plan === null ? null : { level: plan.level, ...plan.bound };
    out.document({ name: given.text("blueprint"), estimate: estimated, warnings, bound, past });
    return EXIT.succeeded;
  }
  const view: CostView = { columns: out.columns(), paint: out.paint };
  const parts: string[][] = [];
  if (pattern !== undefined && estimated !== null) parts.push(renderEstimate(pattern, estimated, view));
  else if (pattern !== undefined) parts.push([`${pattern.id}: the registry says nothing about its cost`]);
  if (plan !== null) parts.push(renderBound(plan.name, plan.level, plan.bound, out.paint));
  if (plan !== null || past.runs > 0) parts.push(renderCosts(past, view));
  for (const line of parts.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]))) out.line(line);
  return EXIT.succeeded;
}
