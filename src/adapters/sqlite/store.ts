/** The store on SQLite: one file, one connection, one group commit for everything that is written. */
import { pawlError } from "../../base/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Store } from "../../ports/store/store.ts";
import { createChanges } from "./changes.ts";
import { createSqliteControl } from "./control.ts";
import { type Database, type Driver, loadDriver } from "./driver.ts";
import { createRunCheck } from "./events/check-runs.ts";
import { createEventReader } from "./events/event-reader.ts";
import { createEventRows, type EventRows } from "./events/event-rows.ts";
import { createEventWriter } from "./events/event-writer.ts";
import { createRunChain, type RunChain } from "./events/run-chain.ts";
import { createSqliteEvidence } from "./evidence.ts";
import { storeFailure } from "./file/failures.ts";
import { closeIfBroken, openDatabase } from "./file/open-database.ts";
import { identityOf, outdatedCheck } from "./file/outdated.ts";
import { type FileSystem, fileSystemIn, type StateFiles, stateFiles } from "./file/state-files.ts";
import { type CommitHooks, createGroupCommit, PATIENCE_MS } from "./group-commit.ts";
import { createHeads, type Heads } from "./heads.ts";
import { createHosts, type Hosts } from "./hosts.ts";
import { createSqliteJournal } from "./journal.ts";
import { createSqliteLease } from "./lease.ts";
import { createDraft, type Draft } from "./ledger/draft.ts";
import { createSqliteLedger } from "./ledger/ledger.ts";
import { createSqliteBreakers } from "./limits/breakers.ts";
import { createPins, NO_PINS, type Pins, pinAsItIs } from "./loss/pins.ts";
import { createPlanIds, type PlanIds } from "./plan-ids.ts";
import { createSqliteRunIndex } from "./run-index.ts";
import { waitsProblems } from "./waiting/rebuild-waits.ts";
import { createWaitingWriter } from "./waiting/waiting-rows.ts";
import { createSqliteWaitingRuns } from "./waiting/waiting-runs.ts";

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
  /** What beside the journal tells of earlier runs; see OpenChoice. */
  readonly traces?: () => string | null;
  /** How long a write waits for another process that has the file; 10 s if not given. */
  readonly patienceMs?: number;
}

/** Rejects with JOURNAL_* when the store cannot be opened; it is then left as it was. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { readOnly = false, acceptLoss = false } = options;
  const driver = options.driver ?? (await loadDriver());
  const files = stateFiles(options.dir);
  const before = identityOf(files.file);
  const traces = options.traces ?? (() => null);
  const db = await openDatabase(driver, files, { readOnly, acceptLoss, traces, ...fileSystemIn(options) });
  const { clock, patienceMs = PATIENCE_MS } = options;
  const opened = { db, driver, files, clock, readOnly, acceptLoss, patienceMs, before };
  return closeIfBroken(db, files, () => assemble(opened));
}

interface Opened {
  readonly db: Database;
  readonly driver: Driver;
  readonly files: StateFiles;
  readonly clock: Clock;
  readonly readOnly: boolean;
  readonly acceptLoss: boolean;
  readonly patienceMs: number;
  /** See `outdatedCheck`. */
  readonly before: string;
}

function assemble({ db, driver, files, clock, readOnly, acceptLoss, patienceMs, before }: Opened): Store {
  const { file } = files;
  if (acceptLoss && !readOnly) pinAsItIs(db, files.dir);
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
  const waiting = createWaitingWriter(db);
  const chain = createRunChain(db);
  const pins = readOnly ? NO_PINS : createPins(db, files);
  const writer = createEventWriter({ db, heads, rows, plans, hosts, reader, waiting, chain, wake: changes.wake });
  const draft = createDraft(db);
  const memory: Memory = { heads, plans, hosts, chain, pins, rows, draft };
  const commits = createGroupCommit(db, { file, readOnly, patienceMs, ...commitHooks(memory) });

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
    await pins.close();
    const moved = readOnly || checkpoint(db);
    db.close();
    hosts.release(moved);
  }

  const { problems, ...ledger } = createSqliteLedger({ db, draft, commits, guarded });
  return {
    journal: createSqliteJournal({ commits, reader, writer, changes, guarded, isClosed, becomeHost, close }),
    runs: createSqliteRunIndex({ db, hosts, guarded }),
    waiting: createSqliteWaitingRuns({ db, hosts, guarded }),
    chain: createRunCheck({ db, dir: files.dir, guarded }),
    lease: createSqliteLease({ db, commits, heads, rows, hosts, guarded, isClosed, becomeHost }),
    control: createSqliteControl({ db, clock, commits, changes, guarded, isClosed }),
    evidence: createSqliteEvidence({ db, commits, guarded }),
    breakers: createSqliteBreakers({ db, commits, hosts, guarded, becomeHost }),
    ledger,
    isOutdated: outdatedCheck(db, { file, readOnly, before }),
    integrity: () => guarded(() => integrityOf(db, problems)),
    onForeignChange: changes.onForeign,
    close,
  };
}

interface Memory {
  readonly heads: Heads;
  readonly plans: PlanIds;
  readonly hosts: Hosts;
  readonly chain: RunChain;
  readonly pins: Pins;
  readonly rows: EventRows;
  readonly draft: Draft;
}

/** What a process remembers of the store is right for one transaction, and wrong after a rollback. */
function commitHooks(memory: Memory): Pick<CommitHooks, "begun" | "committing" | "committed" | "rolledBack"> {
  const { heads, plans, hosts, chain, pins, rows, draft } = memory;
  return {
    begun() {
      heads.begin();
      chain.begin();
    },
    committing() {
      for (const each of [rows, draft]) each.flush();
    },
    committed() {
      const events = rows.takeCount();
      hosts.count(events);
      if (events > 0) pins.committed();
    },
    rolledBack() {
      for (const each of [heads, plans, hosts]) each.clear();
      for (const each of [rows, draft]) each.drop();
    },
  };
}

/** What is wrong with the file; with what is in it, when nothing is. */
function integrityOf(db: Database, problems: () => readonly string[]): readonly string[] {
  const rows = db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all();
  const found = rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  return found.length === 0 ? [...problems(), ...waitsProblems(db)] : found;
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
