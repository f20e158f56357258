/** Where the repository of a project begins: at the project itself, or at the nearest folder above it that has a `.git`. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Repository {
  readonly top: string;
  /** The project in it, with `/` between its parts; empty: the project is its top, or in no repository. */
  readonly folder: string;
}

/** Looks only at names; whether it is a repository is told by git, when one is needed. */
export function findRepository(root: string): Repository {
  if (existsSync(join(root, ".git"))) return { top: root, folder: "" };
  const real = realpathSync(root);
  for (let dir = dirname(real); ; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return { top: dir, folder: relative(dir, real).split(sep).join("/") };
    if (dirname(dir) === dir) return { top: root, folder: "" };
  }
}
