/**
 * An empty file of this user that nobody writes: it is shown wherever a sealed file is missing. There is one for each
 * user in the folder for temporary files, made when it is missing and never trusted unseen.
 */
import { type BigIntStats, closeSync, lstatSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface BlankFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Returns where it is. Throws when none can be made. */
export function createBlankFiles(folder: string = tmpdir()): () => BlankFile {
  let path = join(folder, `pawl-blank-${process.getuid?.() ?? 0}`);
  return () => {
    const usual = blankAt(path);
    if (usual !== undefined) return usual;
    // Somebody has put something else there.
    path = join(mkdtempSync(join(folder, "pawl-blank-")), "blank");
    const own = blankAt(path);
    if (own === undefined) throw new Error(`${path} was changed at once`);
    return own;
  };
}

function blankAt(path: string): BlankFile | undefined {
  try {
    closeSync(openSync(path, "wx", 0o444));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && isBlank(stats) ? { path, stats } : undefined;
}

function isBlank(stats: BigIntStats): boolean {
  const isOwn = stats.uid === BigInt(process.getuid?.() ?? 0);
  return isOwn && stats.isFile() && stats.size === 0n && stats.nlink === 1n && (stats.mode & 0o222n) === 0n;
}
