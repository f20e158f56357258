/**
 * An agent program that a person has installed: where it is on this machine, and what of it must be seen behind a wall. What
 * lies on PATH is often only a starter, which would leave the real program behind when it is killed: then that one is taken.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, isAbsolute, join, relative, sep } from "node:path";
import type { Mount } from "../../../ports/sandbox.ts";

export interface ProgramSpec {
  /** On PATH; one with a slash is a path behind the wall, and nothing of this machine is shown for it. */
  readonly name: string;
  /** Where a package of it has the real program: packages in the order in which they are looked for. */
  readonly native?: readonly { readonly pkg: string; readonly path: string }[];
}

export interface InstalledProgram {
  /** Real and absolute. */
  readonly file: string;
  /** The folder of its package, or the file alone. */
  readonly root: string;
}

export interface ProgramPlaces {
  /** PATH of this process. */
  readonly path: string;
  /** Runs programs that are scripts of Node. */
  readonly nodeProgram: string;
}

/** Behind the wall. */
const PLACE = "/run/pawl/agent";

/** null: it is not installed. */
export function findProgram({ name, native = [] }: ProgramSpec, path: string): InstalledProgram | null {
  const found = onPath(name, path);
  if (found === null) return null;
  for (const { pkg, path: inner } of native) {
    const file = inPackage(found, pkg, inner);
    if (file !== null) return { file, root: packageOf(file) ?? file };
  }
  return { file: found, root: packageOf(found) ?? found };
}

/** How it is started behind the wall, and the mount that it needs there. */
export function behindWall(program: InstalledProgram, nodeProgram: string): { argv: readonly string[]; mount: Mount } {
  const { file, root } = program;
  const isAlone = root === file;
  const to = isAlone ? `${PLACE}/${basename(file)}` : PLACE;
  const seen = isAlone ? to : `${to}/${relative(root, file).split(sep).join("/")}`;
  return { argv: startOf(seen, nodeProgram), mount: { from: root, to, access: "read" } };
}

/** How it is started on this machine, to ask for its version. */
export function onThisMachine({ file }: InstalledProgram, nodeProgram: string): readonly string[] {
  return startOf(file, nodeProgram);
}

function startOf(file: string, nodeProgram: string): readonly string[] {
  return /\.[cm]?js$/.test(file) ? [nodeProgram, file] : [file];
}

function onPath(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const found = isAbsolute(folder) ? executable(join(folder, name)) : null;
    if (found !== null) return found;
  }
  return null;
}

function executable(path: string): string | null {
  try {
    const file = realpathSync(path);
    if (!statSync(file).isFile()) return null;
    // A script of Node is read, not run.
    accessSync(file, /\.[cm]?js$/.test(file) ? constants.R_OK : constants.X_OK);
    return file;
  } catch {
    return null;
  }
}

function inPackage(from: string, pkg: string, path: string): string | null {
  try {
    return executable(join(createRequire(from).resolve(`${pkg}/package.json`), "..", path));
  } catch {
    return null;
  }
}

/** The folder of the innermost package that the file belongs to; null: it belongs to none. */
function packageOf(file: string): string | null {
  const parts = file.split(sep);
  const at = parts.lastIndexOf("node_modules");
  const name = parts[at + 1];
  if (at < 0 || name === undefined) return null;
  return parts.slice(0, at + (name.startsWith("@") ? 3 : 2)).join(sep);
}
