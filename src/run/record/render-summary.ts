/** The summary of a run for people, as Markdown. No text in it links, mentions, notifies or is read as HTML. */
import { formatDuration } from "../../base/duration.ts";
import { markdownLine } from "../../base/text/markdown.ts";
import { formatUsd } from "../../base/usage.ts";
import type { RunSummary, StageSummary } from "./run-summary.ts";

/** One path that the run has changed. */
export interface ChangedPath {
  readonly status: string;
  readonly path: string;
  /** null: it is binary. */
  readonly added: number | null;
  readonly removed: number | null;
}

const LONGEST = 120;
const LONGEST_ERROR = 300;
const MOST_LINES = 200;

/** `changes`: what is different from the tree it began with; null: it has no tree. */
export function renderRunSummary(summary: RunSummary, changes: readonly ChangedPath[] | null): string {
  const { run, blueprint, plan, level, round, stages, answers, cost } = summary;
  const lines = [
    `## Run ${plain(run)}`,
    "",
    `Blueprint ${plain(blueprint)} at level ${level}, plan \`${plan.slice(0, 12)}\`, round ${round}. ${verdictOf(summary)}`,
    "",
    "| stage | kind | visits | tries | outcome | tests | took | tokens | cost |",
    "|---|---|---|---|---|---|---|---|---|",
    ...cut(stages.map(stageRow), (more) => `| and ${more} more | | | | | | | | |`),
    ...part("What went wrong", stages.flatMap(errorLine)),
    ...(changes === null ? [] : part("Changed files", changes.map(changeLine))),
    ...part(
      "Answers of people",
      answers.map(({ stage, answer, by }) => `- ${plain(stage)}: ${plain(answer)} by ${plain(by)}`),
    ),
    "",
    `Cost so far: ${cost.starts} stage starts, ${cost.turns} calls to models, ${formatDuration(cost.wallMs)}, ${cost.tokens} tokens, ${formatUsd(cost.microUsd)}.`,
  ];
  return `${lines.join("\n")}\n`;
}

function verdictOf({ verified, gates }: RunSummary): string {
  if (verified) return "Every gate has passed, the last of them exactly this tree.";
  return gates.length === 0 ? "No gate has judged it yet." : "Its tree is not verified.";
}

function stageRow({ stage, kind, visits, attempts, outcome, tests, tookMs, usage }: StageSummary): string {
  const counted = tests === null ? "" : `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`;
  const cells = [plain(stage), kind, visits, attempts, plain(outcome), counted, formatDuration(tookMs)];
  return `| ${[...cells, usage.tokens, formatUsd(usage.microUsd)].join(" | ")} |`;
}

function errorLine({ stage, cause, error }: StageSummary): readonly string[] {
  if (error === null) return [];
  return [`- ${plain(stage)}${cause === null ? "" : ` (${cause})`}: ${markdownLine(error, LONGEST_ERROR)}`];
}

function changeLine({ status, path, added, removed }: ChangedPath): string {
  const lines = added === null || removed === null ? "binary" : `+${added} −${removed}`;
  return `- ${status} ${markdownLine(path, LONGEST_ERROR)} (${lines})`;
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `### ${title}`, "", ...cut(lines, (more) => `- and ${more} more`)];
}

function cut(lines: readonly string[], rest: (more: number) => string): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), rest(lines.length - MOST_LINES)];
}

function plain(text: string): string {
  return markdownLine(text, LONGEST);
}
