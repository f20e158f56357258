/** What a pattern would cost, and what runs have cost. */
import type { Usage } from "../../../base/usage.ts";
import type { Pattern } from "../../../blueprint/dialects/registry.ts";
import type { CostWarning, Estimate, Tokens } from "../../../limits/cost/estimate.ts";
import type { Bound } from "../../../plan/plan.ts";
import type { CostsOfRuns } from "../../../runtime/money/past-costs.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { countOf } from "../text/format-time.ts";
import { renderLabelled, renderTable } from "../text/table.ts";
import { formatCount, renderUsage } from "./amounts.ts";

export interface CostView {
  readonly columns: number;
  readonly paint: Paint;
}

export function renderEstimate(pattern: Pattern, estimate: Estimate, { columns, paint }: CostView): string[] {
  const { level, runsPerDay, mix, orchestration, dailyCap } = estimate;
  const row = (name: string, tokens: Tokens): string[] => [
    name,
    formatCount(tokens.perRun),
    formatCount(tokens.perDay),
  ];
  const rows = [
    row("nothing to do", estimate.noop),
    row("a report every time", estimate.report),
    row("worst case: a change every time", estimate.action),
    row(`realistic: ${mix.noop} % nothing, ${mix.report} % reports, ${mix.action} % changes`, estimate.realistic),
    row("realistic, as billed with a prompt cache", estimate.cached),
  ];
  return [
    `${paint.bold(oneLine(pattern.name))} (${pattern.id}) at ${level}`,
    ...renderLabelled(
      [
        ["cadence", `${pattern.cadence.written}: ${countOf(runsPerDay, "run")} a day`],
        ["agents", `${orchestration.mode}: a change costs ${orchestration.multiplier} ×`],
        ["daily cap", `${formatCount(dailyCap)} tokens, suggested by the registry`],
      ],
      paint.dim,
    ),
    "",
    ...renderTable({ head: ["estimated tokens", "a run", "a day"], rows }, columns, paint.dim),
    ...(estimate.warnings.length === 0 ? [] : [""]),
    ...estimate.warnings.map((warning) => `${paint.yellow("!")} ${WARNINGS[warning](estimate)}`),
  ];
}

export const WARNINGS: Readonly<Record<CostWarning, (estimate: Estimate) => string>> = {
  early_exit_needed: () => "a run with nothing to do must end before its expensive part",
  worst_case_above_cap: ({ action, dailyCap }) =>
    `the worst case, ${formatCount(action.perDay)} tokens a day, is above the cap of ${formatCount(dailyCap)}`,
  realistic_above_cap: ({ realistic, dailyCap }) =>
    `the realistic case, ${formatCount(realistic.perDay)} tokens a day, is above the cap of ${formatCount(dailyCap)}: run it less often, or give it less to do`,
  many_runs: ({ runsPerDay }) => `${runsPerDay} runs a day: make sure that it really ends early`,
  large_multiplier: ({ orchestration }) =>
    `${orchestration.mode} makes each change ${orchestration.multiplier} times as expensive`,
};

export function renderBound(name: string, level: string, bound: Bound, paint: Paint): string[] {
  return [
    `${paint.bold(oneLine(name))} at ${level}`,
    ...renderLabelled([["worst case", `${renderUsage(bound)} a run`]], paint.dim),
  ];
}

export function renderCosts(costs: CostsOfRuns, { columns, paint }: CostView): string[] {
  const { runs, succeeded, merged, open, hasOlder } = costs;
  const left = open === 0 ? "" : `, ${open} not over and left out`;
  const head = `${hasOlder ? "the newest " : ""}${countOf(runs, "run")}, ${succeeded} succeeded, ${countOf(merged, "change")} merged${left}; runs of drills do not count`;
  if (runs === 0) return [paint.dim(open === 0 ? "no run is over yet" : `no run is over yet${left}`)];
  const cells = (name: string, usage: Usage | null): string[] =>
    usage === null ? [name, "-", "-"] : [name, ...renderUsage(usage).split(", ")];
  const rows = [
    cells("mean of a run", costs.mean),
    cells("half of the runs cost at most", costs.p50),
    cells("95 % of the runs cost at most", costs.p95),
    cells("all of it, per succeeded run", costs.perSucceeded),
    cells("all of it, per merged change", costs.perMerged),
    cells("all of it", costs.total),
  ];
  return [head, ...renderTable({ head: [], rows }, columns, paint.dim)];
}
