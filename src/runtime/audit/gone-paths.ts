import { lstat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Paths of the project that are not there. What has no folder may lie in any, or be the name of a host. What has no ending is a path only below
 * a folder that is there: else it may be the name of a branch.
 */
export async function gonePaths(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (const path of new Set(paths)) {
    const [first = "", ...rest] = path.split("/");
    if (rest.length === 0 || !(await isMissing(join(root, path)))) continue;
    if (/\.\w+$/.test(path) || !(await isMissing(join(root, first)))) gone.add(path);
  }
  return gone;
}

async function isMissing(path: string): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error.code);
  return found === "ENOENT" || found === "ENOTDIR";
}
