/**
 * The lock that says "this process lives": an exclusive lock of the operating system on a file of its own. It is gone the
 * instant the process is, however it ended. Beside it lies how far the journal had come when this process last wrote.
 *
 *   hosts/<id>.lock   an empty SQLite file under an exclusive lock; never opened in any other way, because closing a
 *                     second descriptor of it would drop the lock
 *   hosts/<id>.seen   the row id of the last event that this process has noted as durable
 */

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Database, Driver } from "../driver.ts";
import { BUSY, NOTADB, sqliteCode } from "./failures.ts";
import { keepOpen, letGo } from "./held.ts";

export interface HostLock {
  readonly id: string;
  /** Notes the row id of the newest durable event. Costs no sync: a power cut may leave an older number, never a newer. */
  note(event: number): void;
  /** Removes its files, the note only if `forget`, then lets go of the lock. */
  release(forget: boolean): void;
}

/** Takes a new lock. */
export function holdHostLock(driver: Driver, dir: string): HostLock {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (;;) {
    const id = `h_${randomBytes(8).toString("hex")}`;
    const lock = lockFile(driver, lockPath(dir, id));
    if (lock !== null) return heldLock(lock, dir, id);
  }
}

/** null: a sweeper took the file for that of a dead host before it was locked. What is swept once never lives: it is not made again. */
function lockFile(driver: Driver, path: string): Database | null {
  closeSync(openSync(path, "wx", 0o600));
  const url = pathToFileURL(path);
  url.search = "?mode=rw";
  let db: Database | undefined;
  try {
    db = driver.open(url, { timeout: 0 });
    db.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE");
    if (existsSync(path)) return db;
  } catch (error) {
    if (sqliteCode(error) !== BUSY && existsSync(path)) {
      db?.close();
      throw error;
    }
  }
  db?.close();
  return null;
}

function heldLock(lock: Database, dir: string, id: string): HostLock {
  const seen = openSync(seenPath(dir, id), "wx", 0o600);
  keepOpen(lock);
  return {
    id,
    note(event) {
      try {
        writeSync(seen, String(event).padStart(16), 0);
      } catch {
        // The events are durable; without the note a later loss of the -wal file may go unnoticed, nothing more.
      }
    },
    release(forget) {
      closeSync(seen);
      if (forget) rmSync(seenPath(dir, id), { force: true });
      rmSync(lockPath(dir, id), { force: true });
      letGo(lock);
    },
  };
}

/** Ids of all hosts that left a file, alive or dead. */
export function hostIds(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => /^h_[0-9a-f]{16}\.(lock|seen)$/.test(name));
  return [...new Set(names.map((name) => name.slice(0, name.indexOf("."))))];
}

/** The row id of the last event this host noted as durable; 0 when it noted none. */
export function lastSeen(dir: string, id: string): number {
  try {
    const noted = Number(readFileSync(seenPath(dir, id), "latin1"));
    return Number.isSafeInteger(noted) ? noted : 0;
  } catch (error) {
    // It takes its note away when it closes the journal cleanly.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** Whether the host still holds its lock. In doubt it lives: a run must never have two hosts. */
export function isHostAlive(driver: Driver, dir: string, id: string): boolean {
  return !whileDead(driver, dir, id, () => undefined);
}

/** Removes the files of a dead host; those of a living one stay. Returns whether it was dead. */
export function removeDeadHost(driver: Driver, dir: string, id: string): boolean {
  return whileDead(driver, dir, id, () => {
    rmSync(seenPath(dir, id), { force: true });
    rmSync(lockPath(dir, id), { force: true });
  });
}

/** Runs `work` under a shared lock on the host's file, so that the file cannot become a living host's meanwhile. */
function whileDead(driver: Driver, dir: string, id: string, work: () => unknown): boolean {
  const path = lockPath(dir, id);
  if (!existsSync(path)) {
    work();
    return true;
  }
  let db: Database | undefined;
  try {
    db = driver.open(path, { readOnly: true, timeout: 0 });
    readUnderLock(db);
    work();
    return true;
  } catch {
    if (existsSync(path)) return false;
    work();
    return true;
  } finally {
    db?.close();
  }
}

/** Takes a shared lock, which ends with the connection. A file that is no database can be locked all the same. */
function readUnderLock(db: Database): void {
  try {
    db.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    if (sqliteCode(error) !== NOTADB) throw error;
  }
}

function lockPath(dir: string, id: string): string {
  return join(dir, `${id}.lock`);
}

function seenPath(dir: string, id: string): string {
  return join(dir, `${id}.seen`);
}
