/**
 * One process after the other: an exclusive lock of the operating system on an empty SQLite file. It is gone the instant its
 * holder is, however that ended. Whoever waits gives way meanwhile.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, loadDriver } from "../driver.ts";
import { BUSY, sqliteCode } from "./failures.ts";

const PAUSE_MS = 10;
/** Longer than anybody takes who changes a file. */
const PATIENCE_MS = 10_000;

/** Does the work alone among all that ask with the same path; null: it was never its turn. */
export async function inTurn<T>(path: string, work: () => Promise<T>): Promise<{ of: T } | null> {
  const driver = await loadDriver();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let waited = 0; waited <= PATIENCE_MS; waited += PAUSE_MS) {
    const db = driver.open(path, { timeout: 0 });
    try {
      if (isOurs(db)) return { of: await work() };
    } finally {
      db.close();
    }
    await sleep(PAUSE_MS);
  }
  return null;
}

function isOurs(db: Database): boolean {
  try {
    db.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (sqliteCode(error) !== BUSY) throw error;
    return false;
  }
}
