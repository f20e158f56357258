/** What a blueprint has earned, as text. */
import type { EarnedReport } from "../../runtime/runtime.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";

/** The earned level, what there is, and what is missing for more. */
export function renderEarned(blueprint: string, report: EarnedReport, paint: Paint): string[] {
  return [
    `${oneLine(blueprint)} has earned ${paint.bold(report.earned)}`,
    ...report.evidence.map((sentence) => `  ${oneLine(sentence)}`),
    ...missingLines(report, paint),
  ];
}

/** Whether the level of a plan is earned; there is nothing to say about those that need no evidence. */
export function renderWhether(report: EarnedReport, paint: Paint): string[] {
  const { level, earned, isEarned } = report;
  if (level <= "L1") return [];
  if (isEarned) return [`${level} is ${paint.green("earned")}`];
  return [`${level} is ${paint.yellow("not earned")}: the earned level is ${earned}`, ...missingLines(report, paint)];
}

function missingLines({ lacking }: EarnedReport, paint: Paint): string[] {
  return lacking.flatMap(({ level, what, have, need }) => [
    `  ${paint.yellow("missing")} for ${level}: ${what}`,
    `    there is: ${oneLine(have)}`,
    `    needed:   ${need}`,
  ]);
}
