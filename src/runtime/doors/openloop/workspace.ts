/** Where an openloop workspace and its project lie. Looks only. */
import { realpathSync, statSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { diagnose } from "../../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../../base/result.ts";
import { type OpenloopConfig, parseOpenloop } from "../../../blueprint/dialects/openloop/config.ts";
import type { OpenloopPlace } from "../../../blueprint/dialects/openloop/translate.ts";
import { RUNTIME_ERRORS } from "../../errors.ts";
import { findRepository } from "../../find-repository.ts";

export const CONFIG = "openloop.json";
/** Folders with dependencies that git does not keep. */
const DEPENDENCIES = ["node_modules", ".venv", "venv", "vendor/bundle"];

export interface FoundOpenloop {
  readonly text: string;
  readonly config: Result<OpenloopConfig>;
  /** Of the project, on this machine; null: the config has problems. */
  readonly projectRoot: string | null;
}

/** null: the folder has no openloop.json. */
export async function readOpenloop(folder: string, root: string, shown: string): Promise<FoundOpenloop | null> {
  const text = await readFile(join(folder, CONFIG), "utf8").catch(() => null);
  if (text === null) return null;
  const config = parseOpenloop(text, shown);
  return { text, config, projectRoot: config.ok ? projectRootOf(folder, root, config.value.projectRoot) : null };
}

/** A path that is not whole counts from the folder that holds `.openloop`, where the workspace lies in one. */
function projectRootOf(folder: string, root: string, written: string): string {
  if (isAbsolute(written)) return written;
  const steps = folder.split(sep);
  const at = steps.lastIndexOf(".openloop");
  return resolve(at > 0 ? steps.slice(0, at).join(sep) || sep : root, written);
}

/** Where commands work, or why they cannot. */
export async function placeOf(
  folder: string,
  root: string,
  file: string,
  projectRoot: string,
  maxRounds: number | null,
): Promise<Result<OpenloopPlace>> {
  if (!isFolder(projectRoot)) return failed([diagnose(RUNTIME_ERRORS, "OPENLOOP_ROOT_MISSING", { path: projectRoot })]);
  const [top, base, project] = [findRepository(root).top, root, projectRoot].map((path) => realpathSync(path)) as [
    string,
    string,
    string,
  ];
  const below = wayTo(base, project);
  if (below === null)
    return failed([diagnose(RUNTIME_ERRORS, "OPENLOOP_ROOT_OUTSIDE", { path: projectRoot, root, file })]);
  const kept = wayTo(top, realpathSync(folder));
  const workspace = kept ?? posix.join(".openloop", basename(folder));
  const share: string[] = [];
  for (const name of DEPENDENCIES) {
    const path = posix.join(below, name);
    if ((await lstat(join(base, path)).catch(() => null))?.isDirectory() === true) share.push(path);
  }
  return ok({
    name: nameOf(folder),
    file,
    folder: below,
    projectRoot: posix.join("/workspace", wayTo(top, project) ?? ""),
    workspace: posix.join("/workspace", workspace),
    kept,
    output: posix.join(workspace, "output"),
    share,
    maxRounds,
  });
}

function nameOf(folder: string): string {
  const name = basename(folder) === ".openloop" ? basename(dirname(folder)) : basename(folder);
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `openloop-${slug === "" ? "loop" : slug}`.slice(0, 64).replace(/-$/, "");
}

/** With `/` between its parts; null: it leads out. */
function wayTo(from: string, to: string): string | null {
  const way = relative(from, to);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? null : way.split(sep).join("/");
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
