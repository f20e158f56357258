/** The gateway for people: how to use it, a line for each call, and what it came to. */
import { formatUsd } from "../../../base/usage.ts";
import type { CallReport } from "../../../ports/models/call-report.ts";
import type { ModelUse } from "../../../ports/models/model-access.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { countOf, formatElapsed } from "../text/format-time.ts";

export interface Budget {
  readonly microUsd: number | null;
  readonly tokens: number | null;
}

export interface Opening {
  readonly url: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly keyed: readonly string[];
}

export function openingLines({ url, variables, keyed }: Opening, budget: Budget, paint: Paint): readonly string[] {
  return [
    `Gateway at ${paint.bold(url)}, budget ${describeBudget(budget)}`,
    keyed.length === 0 ? paint.yellow("There is no key for any provider.") : `Keys for ${keyed.join(", ")}`,
    "",
    paint.dim("Start an agent with:"),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${value}`),
    "",
    paint.dim("Ctrl-C ends it."),
  ];
}

export function callLine(report: CallReport, use: ModelUse, budget: Budget, paint: Paint): string {
  const { asked, answered, status, tokens, charged, estimate, passedOver, error, ms } = report;
  const model = asked === answered ? oneLine(answered) : `${oneLine(answered)} (asked for ${oneLine(asked)})`;
  const counted = tokens === null ? `${charged.tokens} tokens` : countsOf(tokens);
  const state =
    error === null && status < 300 ? paint.green(String(status)) : paint.red(`${status} ${oneLine(error ?? "")}`);
  const silent = passedOver.map(({ model, why }) => `${oneLine(model)} did not: ${oneLine(why)}`);
  const notes = [...(estimate === null ? [] : [estimate]), ...silent].map((note) => paint.yellow(`  ${note}`)).join("");
  return `${state}  ${model}  ${counted}  ${cents(charged.microUsd)}  ${formatElapsed(ms)}  ${paint.dim(`so far ${spentOf(use, budget)}`)}${notes}`;
}

export function summaryLines(use: ModelUse, budget: Budget, paint: Paint): readonly string[] {
  const { calls, refused, missed } = use;
  return [
    "",
    `${paint.bold("Spent")} ${spentOf(use, budget)} in ${countOf(calls, "call")}`,
    ...(refused === 0 ? [] : [paint.yellow(`${countOf(refused, "call")} refused at the budget`)]),
    ...(missed === 0 ? [] : [paint.red(`${countOf(missed, "call")} not in the record`)]),
  ];
}

function countsOf(tokens: NonNullable<CallReport["tokens"]>): string {
  const { input, cacheRead, cacheWrite, cacheWriteLong, output, reasoning } = tokens;
  const parts = [
    `${input} in`,
    ...(cacheRead > 0 ? [`${cacheRead} cached`] : []),
    ...(cacheWrite + cacheWriteLong > 0 ? [`${cacheWrite + cacheWriteLong} to cache`] : []),
    reasoning > 0 ? `${output} out (${reasoning} thought)` : `${output} out`,
  ];
  return parts.join(" + ");
}

function spentOf({ usage }: ModelUse, budget: Budget): string {
  const money = `${cents(usage.microUsd)}${budget.microUsd === null ? "" : ` of ${formatUsd(budget.microUsd)}`}`;
  const tokens = `${usage.tokens}${budget.tokens === null ? "" : ` of ${budget.tokens}`} tokens`;
  return `${money}, ${tokens}`;
}

function describeBudget({ microUsd, tokens }: Budget): string {
  const set = [microUsd === null ? [] : formatUsd(microUsd), tokens === null ? [] : `${tokens} tokens`].flat();
  return set.length === 0 ? "not limited" : set.join(" and ");
}

/** A call often costs less than a cent. */
function cents(microUsd: number): string {
  return `$${(microUsd / 1e6).toFixed(4)}`;
}
