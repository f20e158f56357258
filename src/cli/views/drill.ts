/** What a drill found, as text. */
import type { Baseline, DrillReport } from "../../runtime/runtime.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";
import { countOf, formatElapsed } from "./text/format-time.ts";
import { renderTable } from "./text/table.ts";

type Tried = DrillReport["tried"][number];

/** Everything bad was caught and everything harmless passed, and there was some of both. */
export function isPerfect({ baseline, score }: DrillReport): boolean {
  const { planted, caught, harmless, passed } = score;
  return baseline?.ok === true && planted > 0 && caught === planted && harmless > 0 && passed === harmless;
}

export function renderBaseline({ ok, relaxed, gate, why }: Baseline, paint: Paint): string {
  if (!ok) return `${paint.red("the gates do not pass without a change")}: ${oneLine(`${gate}: ${why}`)}`;
  if (!relaxed) return "the gates pass without a change";
  return [
    "the gates pass without a change only when they are asked for no more than that nothing gets worse; so they are asked here",
    paint.yellow("tests that fail already notice nothing: a commit where all pass says more"),
  ].join("\n");
}

export function renderTried(tried: Tried, paint: Paint): string {
  const word = tried.isRight ? paint.green(wordOf(tried)) : paint.red(wordOf(tried));
  return `${word}  ${oneLine(tried.plant.why)}: ${oneLine(verdictText(tried))}, ${formatElapsed(tried.ms)}`;
}

function wordOf({ plant, isRight }: Tried): string {
  if (plant.expect === "reject") return isRight ? "caught" : "MISSED";
  return isRight ? "passed" : "REFUSED";
}

export function renderDrill(report: DrillReport, paint: Paint, columns: number): string[] {
  const { tried, untried, approvals, leftOut, score, unrecorded, id } = report;
  const rows = tried.map((each) => [
    each.plant.id,
    each.plant.expect,
    { text: oneLine(verdictText(each)), paint: each.isRight ? paint.green : paint.red },
    String(each.ms),
    oneLine(each.plant.why),
  ]);
  const table = { head: ["plant", "expected", "what happened", "ms", "what was planted"], rows, whole: 1 };
  return [
    ...(rows.length === 0 ? [] : ["", ...renderTable(table, columns, paint.dim), ""]),
    `sensitivity ${fraction(score.caught, score.planted)} of bad changes caught`,
    `specificity ${fraction(score.passed, score.harmless)} of harmless changes passed`,
    ...untried.map(({ what, why }) => paint.dim(`not tried: ${oneLine(what)}: ${oneLine(why)}`)),
    ...(approvals.length === 0
      ? []
      : [paint.dim(`left out, a person would be asked: ${oneLine(approvals.join(", "))}`)]),
    ...(leftOut === 0 ? [] : [paint.dim(`${countOf(leftOut, "further change")} not planted; see --plants`)]),
    unrecorded === null ? `drill ${id} recorded` : `not recorded: ${oneLine(unrecorded)}`,
  ];
}

/** What happened to a plant, in words. */
function verdictText({ verdict, gate }: Tried): string {
  switch (verdict) {
    case "rejected":
      return `rejected by ${gate ?? "the run"}`;
    case "asked":
      return `asked a person at ${gate ?? "the run"}`;
    case "undone":
      return "undone by protection";
    case "accepted":
      return "accepted";
  }
}

/** `0.90 (9/10)`; nothing can be said of none. */
function fraction(part: number, whole: number): string {
  return whole === 0 ? "unknown (0/0)" : `${(part / whole).toFixed(2)} (${part}/${whole})`;
}
