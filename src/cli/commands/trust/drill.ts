import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { DrillReport } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { allowsDanger, DANGER_OPTION } from "../../input/danger.ts";
import { compileAt, PARAM_OPTION } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { isPerfect, renderBaseline, renderDrill, renderTried } from "../../views/drill.ts";

const MOST_PATCH_BYTES = 1 << 20;

export const drillCommand: CommandSpec = {
  name: "drill",
  summary: "Plant bad and harmless changes, and see what the gates of a blueprint do",
  details: [
    "Each change is planted in a tree of its own, and the gates of the blueprint judge it as they would judge work: skipped, weakened and deleted tests, code that is wrong or ends the process well, an edited gate, a denied path, an injected instruction; and harmless ones. Your files are not touched.",
    "Sensitivity is the share of bad changes that were caught, specificity the share of harmless ones that passed. A drill in which both are 1 is what `pawl level` asks for. It is recorded when it was complete.",
    "A change that you know to be bad, such as one that makes a metric worse, is given as a patch: drills/*.patch in the project, or --patch.",
  ],
  arguments: [{ name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true }],
  options: [
    PARAM_OPTION,
    { kind: "count", flags: "--plants <n>", summary: "the most changes that are planted", min: 1, default: 20 },
    { kind: "list", flags: "--patch <file>", summary: "a change that must be caught, as git diff writes it" },
    { kind: "flag", flags: "--keep", summary: "keep what was planted, for pawl diff" },
    DANGER_OPTION,
  ],
  examples: [
    { line: "pawl drill fix-tests", does: "plant up to 20 changes and report" },
    { line: "pawl drill fix-tests --patch slower.patch", does: "with a change that makes the metric worse" },
    { line: "pawl drill fix-tests --json | jq .score", does: "for a script" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const patches = await readPatches(context);
    const runtime = await context.open({ readOnly: false });
    const { plan, sources } = await compileAt(context, runtime, "L3");
    if (!plan.ok)
      return reportProblems(out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
    const report = await runtime.drill(plan.value, {
      plants: given.count("plants") ?? 0,
      patches,
      keep: given.flag("keep"),
      danger: allowsDanger(given),
      by: context.by,
      signal: context.interrupts.untilInterrupted(),
      onBaseline: (baseline) => out.line(renderBaseline(baseline, out.paint)),
      onTried: (tried, number, of) => out.line(`${number}/${of}  ${renderTried(tried, out.paint)}`),
    });
    if (out.format === "json") out.document(report);
    for (const line of renderDrill(report, out.paint, out.columns())) out.line(line);
    return exitOf(report);
  },
};

function exitOf(report: DrillReport): ExitCode {
  if (report.unrecorded === "it was interrupted") return EXIT.interrupted;
  return isPerfect(report) ? EXIT.succeeded : EXIT.failed;
}

async function readPatches({ given, cwd }: Context) {
  return Promise.all(
    given.list("patch").map(async (name) => {
      const bytes = await readFile(resolve(cwd, name)).catch(() => null);
      if (bytes === null || bytes.length > MOST_PATCH_BYTES)
        throw pawlError(CLI_ERRORS, "CLI_PATCH_UNREADABLE", { path: name });
      return { name, text: bytes.toString() };
    }),
  );
}
