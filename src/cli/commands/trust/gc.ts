import { parseDuration } from "../../../base/duration.ts";
import { pawlError } from "../../../base/errors.ts";
import { formatBytes } from "../../../base/size.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { countOf } from "../../views/text/format-time.ts";

export const gcCommand: CommandSpec = {
  name: "gc",
  summary: "Remove what runs that are over left behind, and prove what was freed",
  details: [
    "A workspace is removed only when its whole tree is saved; what git ignores goes with it. Saved trees are kept unless --older-than names an age; journals, logs and artifacts are never removed, and neither is anything of a run that no journal mentions, or whose journal is damaged.",
  ],
  arguments: [],
  options: [
    {
      kind: "text",
      flags: "--older-than <age>",
      summary: "also drop the trees of runs that ended before, such as 30d",
    },
    { kind: "flag", flags: "--dry-run", summary: "say what would be removed and remove nothing" },
  ],
  examples: [
    { line: "pawl gc", does: "remove workspaces that nobody needs any more" },
    { line: "pawl gc --older-than 30d --dry-run", does: "what dropping old trees would free" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const dryRun = context.given.flag("dry-run");
    const runtime = await context.open({ readOnly: false });
    const report = await runtime.sweep({ before: dropBefore(context), dryRun });
    const { workspaces, stuck, refs, found, unknown, damaged, objectsBefore, objectsAfter, bytesBefore, bytesAfter } =
      report;
    if (out.format === "json") out.document({ dryRun, freedBytes: bytesBefore - bytesAfter, ...report });
    const would = dryRun ? "would be " : "";
    out.line(`${workspaces} workspaces ${would}removed, ${refs} saved trees ${would}dropped`);
    if (found > 0) out.line(`${found} saved trees had lost their names, and have them again`);
    if (unknown.length > 0) {
      out.line(
        out.paint.yellow(`${countOf(unknown.length, "run")} that no journal mentions: everything of them is kept`),
      );
      for (const { run, workspaces: folders, refs: trees } of unknown)
        out.line(`  ${run}  ${countOf(folders, "workspace")}, ${countOf(trees, "saved tree")}`);
      out.line(`  \`pawl recover\` shows what they are; \`pawl recover --discard RUN\` removes one`);
    }
    for (const run of damaged)
      out.line(
        out.paint.red(`the journal of ${run} is damaged: everything of it is kept; look with \`pawl verify ${run}\``),
      );
    if (stuck > 0)
      out.line(out.paint.yellow(`${stuck} runs have workspaces that could not be saved; they are left as they are`));
    out.line(`before  ${objectsBefore} objects, ${formatBytes(bytesBefore)}`);
    if (!dryRun) out.line(`after   ${objectsAfter} objects, ${formatBytes(bytesAfter)}`);
    return stuck + damaged.length === 0 ? EXIT.succeeded : EXIT.failed;
  },
};

function dropBefore(context: Context): number {
  const age = context.given.text("older-than");
  if (age === undefined) return 0;
  const ms = parseDuration(age);
  if (ms === undefined) throw pawlError(CLI_ERRORS, "CLI_AGE_INVALID", { age });
  return context.now() - ms;
}
