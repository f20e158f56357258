/** The store on SQLite: one file, one connection, one group commit for everything that is written. */
import { pawlError } from "../../base/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Store } from "../../ports/store/store.ts";
import { createChanges } from "./changes.ts";
import { createSqliteControl } from "./control.ts";
import { type Database, type Driver, loadDriver } from "./driver.ts";
import { createEventReader } from "./events/event-reader.ts";
import { createEventRows } from "./events/event-rows.ts";
import { createEventWriter } from "./events/event-writer.ts";
import { createSqliteEvidence } from "./evidence.ts";
import { storeFailure } from "./file/failures.ts";
import { openDatabase } from "./file/open-database.ts";
import { type FileSystem, fileSystemIn, type StateFiles, stateFiles } from "./file/state-files.ts";
import { createGroupCommit, PATIENCE_MS } from "./group-commit.ts";
import { createHeads } from "./heads.ts";
import { createHosts } from "./hosts.ts";
import { createSqliteJournal } from "./journal.ts";
import { createSqliteLease } from "./lease.ts";
import { createDraft } from "./ledger/draft.ts";
import { createSqliteLedger } from "./ledger/ledger.ts";
import { createSqliteBreakers } from "./limits/breakers.ts";
import { createPlanIds } from "./plan-ids.ts";
import { createSqliteRunIndex } from "./run-index.ts";

export interface SqliteStoreOptions {
  /** The state directory; made if it is not there. */
  readonly dir: string;
  readonly clock: Clock;
  /** Writes nothing; works where this user may only read. A directory without a journal is one without runs. */
  readonly readOnly?: boolean;
  /** Goes on although acknowledged events are lost (JOURNAL_WAL_MISSING). */
  readonly acceptLoss?: boolean;
  /** The SQLite to use; the one that this Node has, or the package, if not given. */
  readonly driver?: Driver;
  readonly fileSystem?: FileSystem;
  /** How long a write waits for another process that has the file; 10 s if not given. */
  readonly patienceMs?: number;
}

/** Rejects with JOURNAL_* when the store cannot be opened; it is then left as it was. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { readOnly = false, acceptLoss = false } = options;
  const driver = options.driver ?? (await loadDriver());
  const files = stateFiles(options.dir);
  const db = await openDatabase(driver, files, { readOnly, acceptLoss, ...fileSystemIn(options) });
  return assemble({ db, driver, files, clock: options.clock, readOnly, patienceMs: options.patienceMs ?? PATIENCE_MS });
}

interface Opened {
  readonly db: Database;
  readonly driver: Driver;
  readonly files: StateFiles;
  readonly clock: Clock;
  readonly readOnly: boolean;
  readonly patienceMs: number;
}

function assemble({ db, driver, files, clock, readOnly, patienceMs }: Opened): Store {
  const { file } = files;
  let closed = false;
  const isClosed = (): boolean => closed;

  async function guarded<T>(work: () => T): Promise<T> {
    if (closed) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file });
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, file);
    }
  }

  const newest = db.prepare<{ last: number | null }>("SELECT max(id) AS last FROM events");
  const hosts = createHosts({ db, driver, dir: files.hosts, clock, newest: () => newest.get()?.last ?? 0 });
  const changes = createChanges(db);
  const reader = createEventReader(db, file);
  const rows = createEventRows(db);
  const heads = createHeads(db, hosts, rows.flush);
  const plans = createPlanIds(db);
  const writer = createEventWriter({ db, heads, rows, plans, hosts, reader, wake: changes.wake });
  const draft = createDraft(db);
  const unwritten = [rows, draft];
  const commits = createGroupCommit(db, {
    ...{ file, readOnly, patienceMs },
    begun: heads.begin,
    committing: () => {
      for (const each of unwritten) each.flush();
    },
    committed: () => hosts.count(rows.takeCount()),
    rolledBack: () => {
      for (const memory of [heads, plans, hosts]) memory.clear();
      for (const each of unwritten) each.drop();
    },
  });

  /** The lock of this host lies in the file system, so it is taken before the transaction. */
  function becomeHost(): void {
    try {
      hosts.lock();
    } catch (error) {
      throw storeFailure(error, file);
    }
  }

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    commits.close();
    changes.close();
    const moved = readOnly || checkpoint(db);
    db.close();
    hosts.release(moved);
  }

  const { problems, ...ledger } = createSqliteLedger({ db, draft, commits, guarded });
  return {
    journal: createSqliteJournal({ commits, reader, writer, changes, guarded, isClosed, becomeHost, close }),
    runs: createSqliteRunIndex({ db, hosts, guarded }),
    lease: createSqliteLease({ db, commits, heads, rows, hosts, guarded, isClosed, becomeHost }),
    control: createSqliteControl({ db, clock, commits, changes, guarded, isClosed }),
    evidence: createSqliteEvidence({ db, commits, guarded }),
    breakers: createSqliteBreakers({ db, commits, hosts, guarded, becomeHost }),
    ledger,
    integrity: () => guarded(() => integrityOf(db, problems)),
    close,
  };
}

/** What is wrong with the file; with what is in it, when nothing is. */
function integrityOf(db: Database, problems: () => readonly string[]): readonly string[] {
  const rows = db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all();
  const found = rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  return found.length === 0 ? problems() : found;
}

/**
 * Moves everything out of the -wal file, unless another process is in the way: a driver may keep the file open until its
 * statements are collected. Returns whether all of it was moved; what was not stays durable where it is.
 */
function checkpoint(db: Database): boolean {
  try {
    db.exec("PRAGMA busy_timeout=0");
    const done = db.prepare<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get();
    return done !== undefined && done.log === done.checkpointed;
  } catch {
    return false;
  }
}
