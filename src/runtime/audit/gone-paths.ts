import { lstat } from "node:fs/promises";
import { join } from "node:path";

/** Paths of the project that are not there. */
export async function gonePaths(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (const path of paths) {
    const found = await lstat(join(root, path)).catch((error: NodeJS.ErrnoException) => error.code);
    if (found === "ENOENT" || found === "ENOTDIR") gone.add(path);
  }
  return gone;
}
