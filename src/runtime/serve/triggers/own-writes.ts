/**
 * Which files of a project loops have written themselves, and how each stood before: whoever watches files takes such a file for what it was
 * then. So what a loop writes is no reason to run again, and whatever a person writes is, before it or after.
 */
import type { Stats } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface OwnWrite {
  /** As somebody else left it; null: it was not there. */
  readonly was: string | null;
  readonly is: string;
}

export type OwnWrites = Readonly<Record<string, OwnWrite>>;

const FILE = "own-writes.json";

export function stampOf({ size, mtimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ino">): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/** None, where nothing can be read. */
export async function readOwnWrites(stateDir: string): Promise<OwnWrites> {
  try {
    return JSON.parse(await readFile(join(stateDir, FILE), "utf8")) as OwnWrites;
  } catch {
    return {};
  }
}

/** One at a time. A note that is lost costs a run too many, and no more. */
export function noteOwnWrites(stateDir: string) {
  return async (path: string, was: Stats | null, is: Stats): Promise<void> => {
    const before = await readOwnWrites(stateDir);
    const stamp = was === null ? null : stampOf(was);
    const known = before[path];
    const note = { was: known !== undefined && known.is === stamp ? known.was : stamp, is: stampOf(is) };
    const file = join(stateDir, FILE);
    await writeFile(`${file}.tmp`, JSON.stringify({ ...before, [path]: note }), { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  };
}
