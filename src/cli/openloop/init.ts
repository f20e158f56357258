/** `pawl init WORKSPACE`: an openloop workspace. */
import { lstat, mkdir, stat, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { CLI_ERRORS } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Context } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { shellWord } from "../views/run.ts";
import { configText, describedFiles, FOLDERS } from "./described-files.ts";

export async function initWorkspace(context: Context, workspace: string): Promise<ExitCode> {
  const { given, out, cwd } = context;
  const folder = resolve(cwd, workspace);
  const mission = given.text("mission") ?? "Keep the project working.";
  const projectRoot = resolve(cwd, given.text("project-root") ?? ".");
  if ((await stat(projectRoot).catch(() => null))?.isDirectory() !== true)
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", {
      command: "init",
      message: `--project-root ${projectRoot} is no folder.`,
    });
  for (const name of FOLDERS) {
    await mkdir(join(folder, name), { recursive: true });
    // Git keeps no empty folder, and a run works in a clone.
    await write(join(folder, name, ".gitkeep"), "", true);
  }
  const files = {
    "openloop.json": configText(mission, projectRoot),
    ...describedFiles({ mission, commands: {}, baseline: null }),
  };
  for (const [name, text] of Object.entries(files)) await write(join(folder, name), text, given.flag("force"));
  await begun(join(folder, "progress.md"));
  const shown = shellWord(relative(cwd, folder) || ".");
  const next = [`pawl doctor ${shown}`, `pawl run ${shown}`];
  if (out.format === "json") out.document({ path: folder, project_root: projectRoot, next });
  out.line(`wrote ${out.paint.bold(oneLine(shown))}: write its commands into openloop.json`);
  for (const line of next) out.line(`  ${out.paint.cyan(line)}`);
  return EXIT.succeeded;
}

/** What has happened there stays: nothing is ever taken from a timeline. */
async function begun(path: string): Promise<void> {
  const isThere = (await lstat(path).catch(() => null)) !== null;
  if (!isThere) await write(path, "# Progress\n\n", false);
}

async function write(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw pawlError(CLI_ERRORS, "CLI_FILE_EXISTS", { path });
    throw pawlError(CLI_ERRORS, "CLI_FILE_UNWRITABLE", { path, message: code ?? message });
  }
}
