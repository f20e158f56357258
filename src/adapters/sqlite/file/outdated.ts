/**
 * A reader may be opened on less than there is later: on nothing, on a file of an older version, for which it has tables of its
 * own, on a file that it had to read as it lay, or on a file that somebody has exchanged since. It sees what came later only when
 * it is opened again.
 */
import { existsSync, statSync } from "node:fs";
import type { Database } from "../driver.ts";

interface Opening {
  readonly file: string;
  readonly readOnly: boolean;
  /** `identityOf` before it was opened. */
  readonly before: string;
}

/** Which file it is; empty: there is none, or nothing is in it. */
export function identityOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined || stats.size === 0n ? "" : `${stats.dev}.${stats.ino}`;
}

/** Whoever writes keeps the file that it has open. */
export function outdatedCheck(db: Database, { file, readOnly, before }: Opening): () => boolean {
  if (!readOnly) return () => false;
  const version = db.prepare<{ user_version: number }>("PRAGMA user_version");
  const versionNow = (): number => version.get()?.user_version ?? 0;
  const opened = versionNow();
  // A reader that may use the -shm file makes one.
  const asItLies = before === "" || existsSync(`${file}-shm`) ? null : stateOf(file);
  return () => {
    if (!db.isOpen) return false;
    try {
      if (identityOf(file) !== before || versionNow() !== opened) return true;
      return asItLies !== null && stateOf(file) !== asItLies;
    } catch {
      // Whoever opens it again is told what is wrong with it.
      return true;
    }
  };
}

function stateOf(file: string): string {
  const { size, mtimeNs } = statSync(file, { bigint: true });
  return `${size} ${mtimeNs} ${existsSync(`${file}-wal`)}`;
}
