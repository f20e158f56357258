/** Opens a file of a store: private, write-ahead, synced on every commit, and never over something it does not understand. */
import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Database, Driver } from "../driver.ts";
import { checkNothingLost, checkWalPresent, noted } from "../loss/check-loss.ts";
import { blankness, noteId, readBeside, refuseBlank, refuseForeign } from "../loss/store-id.ts";
import { BUSY, CANTOPEN, READONLY, sqliteCode, storeFailure } from "./failures.ts";
import { JOURNAL_SCHEMA, migrate, type Schema, schemaVersion, standIn } from "./migrate.ts";
import { isBlank, type OpenChoice, refuseRemote, type StateFiles, sizeOf } from "./state-files.ts";
import { syncFolder } from "./sync-folder.ts";

/** How long a statement waits for another process. */
export const BUSY_MS = 5000;
const WAL_PAGES = 2000;
const CACHE_KIB = 8192;
const WAL_KEPT_BYTES = 16 * 1024 * 1024;

export async function openDatabase(
  driver: Driver,
  files: StateFiles,
  choice: OpenChoice,
  schema: Schema = JOURNAL_SCHEMA,
): Promise<Database> {
  try {
    const open = choice.readOnly ? openToRead : openToWrite;
    return await open(driver, files, choice, schema);
  } catch (error) {
    throw storeFailure(error, files.file);
  }
}

type Opening = (driver: Driver, files: StateFiles, choice: OpenChoice, schema: Schema) => Promise<Database>;

const openToWrite: Opening = async (driver, files, choice, schema) => {
  prepareDirectory(files);
  refuseRemote(files.dir, choice.fileSystem);
  const beside = readBeside(files, choice.traces);
  await checkWalPresent(driver, files, choice);
  if (!choice.acceptLoss && isBlank(files.file)) refuseBlank(files, blankness(files), beside);
  prepareFile(files.file);
  const db = driver.open(files.file, { timeout: BUSY_MS });
  return closeUnless(db, async () => {
    const seen = noted(files);
    const version = schemaVersion(db, files.file, schema);
    checkNothingLost(seen, version === 0 ? null : db, driver, files, choice);
    if (!choice.acceptLoss) refuseForeign(db, version, files, beside);
    await whileBusy(() => makeDurable(db, files.file));
    db.exec(
      `PRAGMA wal_autocheckpoint=${WAL_PAGES}; PRAGMA cache_size=-${CACHE_KIB}; PRAGMA journal_size_limit=${WAL_KEPT_BYTES};`,
    );
    schema.prepare?.(files.dir, version);
    migrate(db, files.file, schema);
    noteId(db, files, beside);
  });
};

const openToRead: Opening = async (driver, files, choice, schema) => {
  const beside = readBeside(files, choice.traces);
  await checkWalPresent(driver, files, choice);
  if (isBlank(files.file)) {
    refuseBlank(files, blankness(files), beside);
    return openEmpty(driver, files.file, schema);
  }
  const db = openReadable(driver, files.file);
  let version = 0;
  await closeUnless(db, async () => {
    const seen = noted(files);
    version = schemaVersion(db, files.file, schema);
    checkNothingLost(seen, version === 0 ? null : db, driver, files, choice);
    refuseForeign(db, version, files, beside);
  });
  if (version === 0) {
    db.close();
    return openEmpty(driver, files.file, schema);
  }
  return closeUnless(db, async () => standIn(db, version, schema));
};

/** What a reader sees where nothing was ever stored. */
function openEmpty(driver: Driver, file: string, schema: Schema): Database {
  const db = driver.open(":memory:", { timeout: 0 });
  migrate(db, file, schema);
  db.exec("PRAGMA query_only=1");
  return db;
}

/** Where the -wal and -shm files can neither be found nor made, a journal that was closed cleanly is read as it lies. */
function openReadable(driver: Driver, file: string): Database {
  const db = driver.open(file, { readOnly: true, timeout: BUSY_MS });
  try {
    db.exec("SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (error) {
    db.close();
    const code = sqliteCode(error);
    if ((code !== CANTOPEN && code !== READONLY) || sizeOf(`${file}-wal`) > 0) throw error;
  }
  const url = pathToFileURL(file);
  url.search = "?immutable=1";
  return driver.open(url.href, { readOnly: true, timeout: BUSY_MS });
}

/** What cannot be built on an open file leaves no handle of it behind. */
export function closeIfBroken<T>(db: Database, { file }: StateFiles, build: () => T): T {
  try {
    return build();
  } catch (error) {
    db.close();
    throw storeFailure(error, file);
  }
}

async function closeUnless(db: Database, check: () => Promise<void>): Promise<Database> {
  try {
    await check();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Two processes that turn a new file into a write-ahead one at the same time cannot wait for each other inside SQLite. */
async function whileBusy(work: () => void): Promise<void> {
  for (let waited = 0; ; waited += 20) {
    try {
      work();
      return;
    } catch (error) {
      if (sqliteCode(error) !== BUSY || waited >= BUSY_MS) throw error;
    }
    await sleep(20);
  }
}

/** Sets both settings and reads them back: some builds of SQLite ignore or lower them without an error. */
function makeDurable(db: Database, file: string): void {
  const journal = db.prepare<{ journal_mode: string }>("PRAGMA journal_mode=WAL").get()?.journal_mode;
  if (journal !== "wal") {
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_NOT_DURABLE", { file, detail: `its journal mode is ${journal}, not wal` });
  }
  db.exec("PRAGMA synchronous=FULL");
  const level = db.prepare<{ synchronous: number }>("PRAGMA synchronous").get()?.synchronous;
  if (level !== 2)
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_NOT_DURABLE", { file, detail: `its sync level is ${level}, not 2` });
}

/** The way to a new journal is made durable, whoever made the directory. */
function prepareDirectory({ dir, file }: StateFiles): void {
  const created = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (created !== undefined || !existsSync(file)) syncFolder(dirname(created ?? dir));
  keepPrivate(dir);
  accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
}

function prepareFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  keepPrivate(file);
}

/** Takes away what others may do, and gives nobody more. Somebody else's file is left as its owner wants it. */
function keepPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  const user = process.getuid?.();
  if ((mode & 0o077) !== 0 && (uid === user || user === 0)) chmodSync(path, mode & 0o700);
}
