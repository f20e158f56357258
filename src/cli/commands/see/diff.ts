import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { ChangedFile, TreeDiff } from "../../../ports/trees.ts";
import { RUN_ERRORS } from "../../../run/errors.ts";
import type { RunTrees, StageTrees } from "../../../run/trees.ts";
import { EXIT } from "../../exit-codes.ts";
import type { Paint } from "../../output.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { logText } from "../../views/log-text.ts";

export const diffCommand: CommandSpec = {
  name: "diff",
  summary: "Show what a run, or one stage of it, changed in its workspace",
  details: [
    "Every changed path is listed, with its mode, before the patch: no attribute of the tree can hide a change.",
    "Characters that would steer a terminal are shown as escapes; --raw prints the patch alone, so that it can be applied.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [
    { kind: "text", flags: "--stage <stage>", summary: "only what the newest attempt of this stage changed" },
    { kind: "count", flags: "--attempt <n>", summary: "that attempt of the stage", min: 1 },
    { kind: "flag", flags: "--stat", summary: "the changed paths, without the patch" },
    { kind: "flag", flags: "--raw", summary: "the patch and nothing else" },
  ],
  examples: [
    { line: "pawl diff @last", does: "all that the newest run changed" },
    { line: "pawl diff r_4f --stage fix", does: "what its stage fix changed" },
    { line: "pawl diff @last --raw | git apply", does: "take the change over into your own files" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const runtime = await context.open({ readOnly: true });
    const row = await runtime.find(context.given.text("run") ?? "");
    const { from, to } = chosen(context, row.run, await runtime.trees(row.run));
    const diff = await runtime.diff(from, to);
    show(context, row.run, from, to, diff);
    return EXIT.succeeded;
  },
};

function chosen(context: Context, run: RunId, trees: RunTrees): Pick<StageTrees, "from" | "to"> {
  const stage = context.given.text("stage");
  if (stage === undefined) return { from: trees.base, to: trees.last };
  const attempt = context.given.count("attempt");
  const found = trees.stages.findLast(
    (each) => each.stage === stage && (attempt === undefined || each.attempt === attempt),
  );
  if (found === undefined) throw pawlError(RUN_ERRORS, "RUN_STAGE_NOT_REACHED", { run, stage });
  return found;
}

function show({ out, given }: Context, run: RunId, from: string, to: string, diff: TreeDiff): void {
  const { files, patch, truncated } = diff;
  if (out.format === "json") {
    out.document({ run, from, to, files, patch: new TextDecoder().decode(patch), truncated });
    return;
  }
  if (given.flag("raw")) {
    out.write(patch);
    return;
  }
  if (files.length === 0) out.line("No file changed.");
  for (const file of files) out.line(fileLine(file, out.paint));
  if (files.length === 0 || given.flag("stat")) return;
  out.line();
  for (const line of logText(patch).split("\n")) out.line(paintLine(line, out.paint));
  if (truncated) out.line(out.paint.yellow("The patch is longer than what is shown here."));
}

function fileLine({ status, path, oldPath, oldMode, newMode }: ChangedFile, paint: Paint): string {
  const color = { added: paint.green, deleted: paint.red, modified: paint.yellow } as const;
  const word = status.replace("_", " ").padEnd(12);
  const painted = status in color ? color[status as keyof typeof color](word) : paint.cyan(word);
  const modes = oldMode === newMode ? newMode : `${oldMode} → ${newMode}`;
  const name = oldPath === undefined ? oneLine(path) : `${oneLine(oldPath)} → ${oneLine(path)}`;
  return `${painted}  ${name}  ${paint.dim(modes)}`;
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith("@@")) return paint.cyan(line);
  if (line.startsWith("+")) return paint.green(line);
  return line.startsWith("-") ? paint.red(line) : line;
}
