/**
 * Tells a store that was lost from one that never was. Each store has an id, made with its schema, and the same id lies in a file outside
 * it. A crash between the two leaves a store whose file is written when it is opened next, so a first run that was cut off is no loss.
 *
 *   ids/<name of the database>   the id of the store that belongs there
 *
 * The file lies in a folder of its own: somebody who removes `pawl.db*` does not remove it as well.
 */
import { closeSync, existsSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Database } from "../driver.ts";
import { CORRUPT, sqliteCode } from "../file/failures.ts";
import { readShort } from "../file/read-short.ts";
import type { StateFiles } from "../file/state-files.ts";
import { syncFolder } from "../file/sync-folder.ts";
import { pinPath, readPin } from "./pin.ts";

/** The migration that gives a store its id. `lost`: why older data is missing, if a person has started this store anew. */
export const STORE_ID_TABLE = `CREATE TABLE store(id TEXT NOT NULL, lost TEXT) STRICT;
   INSERT INTO store(id) VALUES(lower(hex(randomblob(16))));`;

const JOURNAL_FILE = "pawl.db";
const ID = /^[0-9a-f]{32}$/;

/** What lies beside a store. Read before the store itself: what is there then was stored before, so the store must know of it. */
export interface Beside {
  /** The id that was noted; null: none was. */
  readonly id: string | null;
  /** What tells of earlier runs, such as "the vault holds work of 3 runs". */
  readonly trace: string | null;
}

/** `traces` is asked only where no id is: it costs more. */
export function readBeside(files: StateFiles, traces: () => string | null = () => null): Beside {
  const id = readId(files);
  return { id, trace: id === null ? (linkTrace(files) ?? pinTrace(files) ?? traces()) : null };
}

/** Such as one to a disk that is not mounted. */
function linkTrace({ dir }: StateFiles): string | null {
  if (existsSync(dir) || lstatSync(dir, { throwIfNoEntry: false }) === undefined) return null;
  return `${dir} is a link to a folder that is not there`;
}

function pinTrace({ dir, file }: StateFiles): string | null {
  if (basename(file) !== JOURNAL_FILE) return null;
  const found = readPin(dir);
  if (found.state === "missing") return null;
  const runs = found.state === "found" ? found.pin.runs : null;
  if (runs === 0) return null;
  return `${pinPath(dir)} says that ${runs === null ? "there was one" : `it held ${runs === 1 ? "a run" : `${runs} runs`}`}`;
}

/** Throws JOURNAL_LOST or LOOPS_LOST when a store is blank that should not be. */
export function refuseBlank(files: StateFiles, problem: string, { id, trace }: Beside): void {
  if (id !== null) throw lostStore(files, `${problem}, although it was made here before`);
  if (trace !== null) throw lostStore(files, `${problem}, although ${trace}`);
}

export function blankness({ file }: StateFiles): string {
  return existsSync(file) ? "it is empty" : "it is missing";
}

/** Throws when this is not the store that belongs here. `version`: of its schema; 0: there is nothing in it. */
export function refuseForeign(db: Database, version: number, files: StateFiles, beside: Beside): void {
  if (version === 0) {
    refuseBlank(files, "it holds nothing", beside);
    return;
  }
  try {
    refuseOther(db, files, beside);
  } catch (error) {
    // Pages of it are damaged: whatever reads them says so, and the rest can still be looked at.
    if (sqliteCode(error) !== CORRUPT) throw error;
  }
}

function refuseOther(db: Database, files: StateFiles, { id, trace }: Beside): void {
  if (id !== null && idIn(db) !== id)
    throw lostStore(files, "it is not the one that belongs here: another one was made or copied in its place");
  if (trace !== null && isUnused(db)) throw lostStore(files, `it was made anew, although ${trace}`);
}

/** Notes the id of a store outside it. Doing it twice is doing it once. */
export function noteId(db: Database, files: StateFiles, { id: noted }: Beside): void {
  const id = idIn(db);
  const { id: path } = files;
  if (path === null || id === null || id === noted) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const made = `${path}.${process.pid}.new`;
  const handle = openSync(made, "w", 0o600);
  try {
    writeSync(handle, `${id}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(made, path);
  for (const folder of [dirname(path), dirname(dirname(path))]) syncFolder(folder);
}

function readId({ id: path }: StateFiles): string | null {
  if (path === null) return null;
  try {
    const text = readShort(path).trim();
    // What cannot be read still tells that there was a store.
    return ID.test(text) ? text : "damaged";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** null: it was made before stores had ids. */
function idIn(db: Database): string | null {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store'").get() !== undefined;
  return has ? (db.prepare<{ id: string }>("SELECT id FROM store").get()?.id ?? null) : null;
}

/** A journal without a run. The store of loops may be empty at any time. */
function isUnused(db: Database): boolean {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'runs'").get() !== undefined;
  return has && db.prepare("SELECT 1 FROM runs LIMIT 1").get() === undefined;
}

function lostStore({ file }: StateFiles, detail: string): Error {
  const code = basename(file) === JOURNAL_FILE ? "JOURNAL_LOST" : "LOOPS_LOST";
  return pawlError(JOURNAL_ERRORS, code, { file, detail });
}
