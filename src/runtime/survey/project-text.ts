/** Files of a project as far as they can be read: no pipe is waited for, nothing huge is read. */
import { lstat, readFile, stat } from "node:fs/promises";

const MOST_BYTES = 1 << 20;

/** Undefined: there is no such regular file of a usual size. */
export async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true || found.size > MOST_BYTES) return undefined;
  const text = await readFile(path, "utf8").catch(() => undefined);
  // Editors of some systems write it, and no tool minds it.
  return text?.replace(/^\uFEFF/, "");
}

export function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
