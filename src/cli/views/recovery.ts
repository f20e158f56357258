/** What `pawl recover` says. */
import { formatBytes } from "../../base/size.ts";
import { formatInstant } from "../../base/text/instant.ts";
import type { RestoredTree, SavedTree } from "../../ports/saved-work.ts";
import type { RepairReport, SavedRun, Survey } from "../../runtime/lost/recovery.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";
import { countOf } from "./text/format-time.ts";

export function surveyLines({ problems, runs }: Survey, paint: Paint): readonly string[] {
  const trees = runs.flatMap((each) => each.trees);
  const lines = problems.map(({ store, what }) => `${paint.red(store.padEnd(8))}  ${oneLine(what)}`);
  if (problems.length === 0) lines.push(`${paint.green("journal ")}  whole, or never needed`);
  lines.push(`saved     ${countOf(trees.length, "tree")} of ${countOf(runs.length, "run")}`);
  for (const run of runs) lines.push("", ...savedRunLines(run, paint));
  lines.push("");
  if (problems.length > 0)
    lines.push(`To make every command work again, losing nothing: ${paint.cyan("pawl recover --repair")}`);
  if (trees.length > 0) lines.push(`To put the saved trees on branches: ${paint.cyan("pawl recover --to-branches")}`);
  if (runs.some(({ isMentioned, run }) => isMentioned === false && run !== null))
    lines.push(`To remove what nobody needs: ${paint.cyan("pawl recover --discard RUN")}`);
  return lines;
}

export function savedRunLines({ run, isMentioned, trees, workspace }: SavedRun, paint: Paint): readonly string[] {
  const standing = { true: "in the journal", false: "not in the journal", null: "no journal to ask" };
  const head = run === null ? "what runs began with" : `${paint.bold(run)}  ${standing[`${isMentioned}`]}`;
  const folder = workspace === null ? [] : [`  workspace  ${oneLine(workspace)}`];
  return [head, ...trees.map((tree) => `  ${treeText(tree)}`), ...folder];
}

function treeText({ kind, number, stage, attempt, at, commit, size }: SavedTree): string {
  const label = stage === null ? "" : attempt === 0 ? oneLine(stage) : `${oneLine(stage)}, attempt ${attempt}`;
  const amount = size === null ? "not whole" : `${countOf(size.files, "file")}, ${formatBytes(size.bytes)}`;
  const name = `${oneLine(kind)} ${oneLine(number)}`;
  return `${commit.slice(0, 12)}  ${formatInstant(at)}  ${name.padEnd(10)}  ${[label, amount].filter((text) => text !== "").join("  ")}`;
}

export function restoredLines(restored: readonly RestoredTree[], paint: Paint): readonly string[] {
  const lines = restored.map(({ branch, wasThere, problem, commit }) => {
    if (branch === null) return `${paint.red("failed ")}  ${commit.slice(0, 12)}  ${oneLine(problem ?? "")}`;
    return `${wasThere ? "is there" : paint.green("restored")}  ${commit.slice(0, 12)}  ${branch}`;
  });
  if (restored.length === 0) return ["The vault holds no saved tree."];
  return [...lines, "", "No other branch was changed. `git diff HEAD BRANCH` shows what one holds."];
}

export function repairLines(report: RepairReport, paint: Paint): readonly string[] {
  const { problems, aside, kept, lost, lostRecords, unreadable } = report;
  if (problems.length === 0) return ["Nothing to repair: every store can be read."];
  const lines = problems.map(({ store, what }) => `${paint.red(store.padEnd(8))}  ${oneLine(what)}`);
  lines.push(`aside     ${oneLine(aside ?? "")}`);
  if (problems.some(({ store }) => store === "journal")) {
    lines.push(`kept      ${countOf(kept.length, "run")} whose whole chain holds`);
    if (unreadable !== null) lines.push(`lost      every run: the old journal cannot be read (${oneLine(unreadable)})`);
    for (const { run, why } of lost) lines.push(`${paint.yellow("lost")}      ${run}  ${oneLine(why)}`);
    for (const what of lostRecords) lines.push(`${paint.yellow("lost")}      ${what}`);
    if (kept.length > 0)
      lines.push("          A run that was under way may have lost its last steps: look before you resume it.");
  }
  if (problems.some(({ store }) => store === "loops"))
    lines.push("lost      what waited in the queue; schedules continue from now");
  return [...lines, "", "Repaired: a new journal is in its place, and nothing was deleted."];
}
