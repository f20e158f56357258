/**
 * A file that one process holds: an exclusive lock of the operating system on an empty SQLite file. It is gone the instant its
 * holder is, however that ended. Beside it lies who that is, for people; nobody is believed for that.
 *
 *   <path>.lock     under the lock; never opened in any other way, because closing a second descriptor of it would drop the lock
 *   <path>.holder   who holds it
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { visibleLine } from "../../../base/visible.ts";
import type { RunLock, RunLocks } from "../../../ports/agents/run-lock.ts";
import { type Database, type Driver, loadDriver } from "../driver.ts";
import { BUSY, sqliteCode } from "./failures.ts";
import { keepOpen, letGo } from "./held.ts";
import { type FileSystem, refuseRemote } from "./state-files.ts";

const LONGEST_HOLDER = 200;
const UNKNOWN = "another process";

export const FILE_LOCKS: RunLocks = createFileLocks();

export function createFileLocks(fileSystem?: FileSystem): RunLocks {
  return {
    async hold(path) {
      const driver = await loadDriver();
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      refuseRemote(dirname(path), fileSystem);
      for (;;) {
        const found = tryHold(driver, path);
        if (found !== "gone") return found;
      }
    },
  };
}

type Held = { readonly lock: RunLock } | { readonly holder: string };

/** `gone`: whoever held the file took it away before it was ours. */
export function tryHold(driver: Driver, path: string): Held | "gone" {
  const file = `${path}.lock`;
  const before = identityOf(file) ?? made(file);
  const db = driver.open(file, { timeout: 0 });
  try {
    db.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE");
    if (before !== null && before === identityOf(file)) {
      writeFileSync(`${path}.holder`, `process ${process.pid} on ${hostname()}`, { mode: 0o600 });
      return { lock: lockOn(db, path) };
    }
  } catch (error) {
    db.close();
    if (sqliteCode(error) === BUSY) return { holder: holderAt(path) };
    throw error;
  }
  db.close();
  return "gone";
}

/** Which file it is: a name that is taken away and made again is another one. null: there is none. */
function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** Only one that is new may be closed here. null: somebody else was faster. */
function made(file: string): string | null {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return null;
  }
  return identityOf(file);
}

function lockOn(db: Database, path: string): RunLock {
  keepOpen(db);
  return {
    release() {
      if (!db.isOpen) return;
      rmSync(`${path}.holder`, { force: true });
      rmSync(`${path}.lock`, { force: true });
      letGo(db);
    },
  };
}

function holderAt(path: string): string {
  try {
    const told = visibleLine(readFileSync(`${path}.holder`, "utf8"), LONGEST_HOLDER);
    return told === "" ? UNKNOWN : told;
  } catch {
    return UNKNOWN;
  }
}
