/** Writes the blueprint of a loop that comes with Pawl to a file of the project. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { loopOptions } from "../../runtime/loops/loop-options.ts";
import { CLI_ERRORS } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { findLoop, loopNames } from "../input/find-loop.ts";
import { suggest } from "../input/suggest.ts";
import { reportProblems } from "../report-problems.ts";
import type { Context } from "../spec.ts";

export async function ejectLoop(context: Context, name: string): Promise<ExitCode> {
  const { out, root, cwd } = context;
  const runtime = await context.open({ readOnly: true });
  const found = await findLoop(runtime, name);
  if (found?.ok === false) return reportProblems(out, { ...found, root, cwd });
  if (found === undefined || !found.loop.source.startsWith("builtin:")) {
    const near = suggest(name, await loopNames(runtime));
    throw pawlError(CLI_ERRORS, "CLI_EJECT_UNKNOWN", { name, near });
  }
  const { source } = found.loop;
  const { plan, sources } = await runtime.compile(source, loopOptions(found.loop));
  if (!plan.ok) return reportProblems(out, { problems: plan.problems, sources, root, cwd });
  const shown = `blueprints/${name}.yaml`;
  const path = join(root, shown);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, sources[source] ?? "", { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw pawlError(CLI_ERRORS, "CLI_FILE_EXISTS", { path });
    throw pawlError(CLI_ERRORS, "CLI_FILE_UNWRITABLE", { path, message: code ?? message });
  }
  if (out.format === "json") out.document({ path });
  out.line(`wrote ${out.paint.bold(shown)}`);
  out.line(`In pawl.yaml, write \`blueprint: ${shown}\` for the loop ${name}, and take its \`params\` away.`);
  return EXIT.succeeded;
}
