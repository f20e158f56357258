import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { Recovery, SavedRun, Survey } from "../../../runtime/lost/recovery.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { repairLines, restoredLines, savedRunLines, surveyLines } from "../../views/recovery.ts";

export const recoverCommand: CommandSpec = {
  name: "recover",
  summary: "List the work that is saved, put it on branches, and repair a lost or damaged journal",
  details: [
    "Without options it only looks: what is wrong with the journal, and every tree that the vault holds. It needs no journal for that.",
    "--to-branches puts each saved tree on a branch of its own below pawl/recovered/. It changes no other branch and no checkout, and can be repeated.",
    "--repair moves a lost or damaged journal aside (.pawl/lost/), and starts a new one with every run whose chain still holds. It deletes nothing. What was saved of other runs stays in the vault; `pawl gc` does not touch it.",
    "--discard removes what is saved of one run that the journal does not mention. It shows what that is, and removes it only with --yes.",
  ],
  arguments: [{ name: "run", summary: "with --to-branches: only this run", required: false }],
  options: [
    { kind: "flag", flags: "--to-branches", summary: "put every saved tree on a branch of its own" },
    { kind: "flag", flags: "--repair", summary: "start a new journal in the place of a lost or damaged one" },
    {
      kind: "text",
      flags: "--discard <run>",
      summary: "remove what is saved of a run that the journal does not mention",
    },
    { kind: "flag", flags: "--yes", summary: "with --discard: do it" },
  ],
  examples: [
    { line: "pawl recover", does: "what is saved, and what is wrong with the journal" },
    { line: "pawl recover --to-branches", does: "put all of it on branches below pawl/recovered/" },
    { line: "pawl recover --repair", does: "make every other command work again" },
    { line: "pawl recover --discard r_4fz0c2m1q8xk --yes", does: "remove the work of a run that nobody needs" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { given, root } = context;
    const [toBranches, repair, discard] = [given.flag("to-branches"), given.flag("repair"), given.text("discard")];
    if ([toBranches, repair, discard !== undefined].filter(Boolean).length > 1)
      throw unclear("Give one of --to-branches, --repair and --discard.");
    if (given.text("run") !== undefined && !toBranches) throw unclear("Only --to-branches takes a run.");
    if (given.flag("yes") && discard === undefined) throw unclear("--yes belongs to --discard.");
    if ((repair || discard !== undefined) && context.isInStage)
      throw pawlError(CLI_ERRORS, "CLI_RECOVER_REFUSED", { by: context.by });
    const { openRecovery } = await import("../../../runtime/wire.ts");
    const recovery = await openRecovery(root);
    if (repair) return repairStores(context, recovery);
    if (toBranches) return restore(context, recovery);
    return discard === undefined ? look(context, recovery) : discardRun(context, recovery, discard);
  },
};

function unclear(message: string): Error {
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "recover", message });
}

async function look({ out }: Context, recovery: Recovery): Promise<ExitCode> {
  const survey = await recovery.survey();
  if (out.format === "json") out.document(survey);
  for (const line of surveyLines(survey, out.paint)) out.line(line);
  return EXIT.succeeded;
}

async function restore({ out, given }: Context, recovery: Recovery): Promise<ExitCode> {
  const name = given.text("run");
  const run = name === undefined ? null : (await savedRun(recovery, name)).run;
  const restored = await recovery.toBranches(run);
  const failed = restored.filter(({ problem }) => problem !== null);
  if (out.format === "json") out.document({ restored, failed: failed.length });
  for (const line of restoredLines(restored, out.paint)) out.line(line);
  return failed.length === 0 ? EXIT.succeeded : EXIT.failed;
}

async function repairStores({ out }: Context, recovery: Recovery): Promise<ExitCode> {
  const report = await recovery.repair();
  if (out.format === "json") out.document(report);
  for (const line of repairLines(report, out.paint)) out.line(line);
  return EXIT.succeeded;
}

/** Nothing goes before it was shown. */
async function discardRun(context: Context, recovery: Recovery, name: string): Promise<ExitCode> {
  const { out, given } = context;
  const isSure = given.flag("yes");
  const saved = await savedRun(recovery, name);
  const runtime = await context.open({ readOnly: !isSure });
  if (isSure) await runtime.discard(saved.run as RunId);
  if (out.format === "json") out.document({ ...saved, discarded: isSure });
  for (const line of savedRunLines(saved, out.paint)) out.line(line);
  out.line();
  out.line(
    isSure
      ? "Discarded. `pawl gc` frees the space."
      : `Nothing was removed. To remove it for good: ${out.paint.cyan(`pawl recover --discard ${oneLine(name)} --yes`)}`,
  );
  return EXIT.succeeded;
}

/** By the beginning of its id, if no other begins like that. */
async function savedRun(recovery: Recovery, name: string): Promise<SavedRun> {
  const { runs }: Survey = await recovery.survey();
  const matches = runs.filter(({ run }) => run?.startsWith(name));
  const [only] = matches.length === 1 ? matches : matches.filter(({ run }) => run === name);
  if (name === "" || only === undefined) throw pawlError(CLI_ERRORS, "CLI_SAVED_UNKNOWN", { run: name });
  return only;
}
