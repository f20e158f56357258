/**
 * Folders of the tree from which the user's git runs hooks, because their configuration says so. A stage that could write
 * there would be run by the user's next commit.
 */
import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { posix } from "node:path";
import { promisify } from "node:util";

export interface HooksFoldersOptions {
  /** The top of the user's repository. */
  readonly root: string;
  /** Where programs of the host are searched. */
  readonly path: string;
  readonly gitProgram?: string;
}

const PATIENCE_MS = 10_000;

/** Relative to the top of the repository; none when git takes its hooks from elsewhere. Reading the setting runs nothing. */
export async function hooksFolders({
  root,
  path,
  gitProgram = "git",
}: HooksFoldersOptions): Promise<readonly string[]> {
  const args = ["config", "--type=path", "-z", "--get", "core.hooksPath"];
  const env = { PATH: path, HOME: homedir(), LC_ALL: "C" };
  const named = await promisify(execFile)(gitProgram, args, { cwd: root, env, timeout: PATIENCE_MS }).then(
    ({ stdout }) => stdout.replace(/\0$/, ""),
    () => "",
  );
  if (named === "") return [];
  const tops = [root, await realpath(root)];
  const way = tops.map((top) => posix.relative(top, posix.resolve(root, named))).find(isInside);
  if (way === undefined) return [];
  // What husky puts into `_` only calls what lies beside it.
  return posix.basename(way) === "_" && way !== "_" ? [posix.dirname(way)] : [way];
}

function isInside(way: string): boolean {
  return way !== "" && way !== ".." && !way.startsWith("../");
}
