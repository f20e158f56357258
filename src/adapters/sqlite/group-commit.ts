/**
 * Group commit: writes that are asked for together share one transaction, and so one sync of the disk. A commit begins when
 * every promise that could still ask for a write has run; now and then it waits for a turn of the event loop instead, so
 * that runs of short stages cannot keep timers, signals and sockets waiting. What comes from sockets always does, and where many
 * came together a little longer. Such a commit is synced on another thread, so that no socket waits for the disk; until then nobody
 * hears of it, and what comes meanwhile waits for the next. While another process writes, the writes of this one are asked again, and the
 * event loop goes on meanwhile.
 */
import { isPawlError, type PawlError, pawlError } from "../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Database } from "./driver.ts";
import { BUSY, CONSTRAINT, sqliteCode, storeFailure } from "./file/failures.ts";
import { BUSY_MS } from "./file/open-database.ts";
import { createWalSync } from "./file/wal-sync.ts";
import { createPacer, type Pace } from "./pacer.ts";
import { createQueue } from "./queue.ts";

export interface GroupCommit {
  /**
   * Runs `prepare` now and the work that it returns inside the next transaction; resolves with the result of the work when
   * that is durable. Whatever `prepare` throws, and a PawlError that the work throws before it wrote anything, reject this
   * call alone; any other failure rolls back and rejects every call of the transaction.
   */
  run<T>(prepare: () => () => T, pace?: Pace): Promise<T>;
  /** Commits what is waiting; later calls are rejected. */
  close(): void;
}

export interface CommitHooks {
  readonly file: string;
  readonly readOnly: boolean;
  /** How long a write is asked again while another process has the file. */
  readonly patienceMs: number;
  /** The first thing in each transaction. */
  begun(): void;
  /** The last chance to write before the commit. */
  committing(): void;
  /** After a commit, before its callers hear of it. */
  committed(): void;
  /** Whatever was remembered since the last commit is wrong. */
  rolledBack(): void;
}

interface Task {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  value: unknown;
  /** Set when `work` refused. */
  refusal: PawlError | null;
}

export function createGroupCommit(db: Database, hooks: CommitHooks): GroupCommit {
  const write = createWriter(db, hooks);
  const wal = createWalSync(hooks.file);
  const pacer = createPacer(flush);
  const queue = createQueue<Task>(hooks.patienceMs, flush);
  standStill(db, BRIEF_MS);
  let closed = false;

  function flush(): void {
    const batch = queue.take();
    if (batch.length === 0) return;
    const sync = pacer.begin(batch.length) === "in_turn" && !closed ? "later" : "now";
    try {
      write(batch, sync);
    } catch (error) {
      giveUp(batch, error);
      return;
    }
    hooks.committed();
    if (sync === "now") settleAll(batch);
    else syncLater(batch);
  }

  /** While another process writes, only those that have waited long enough. */
  function giveUp(batch: readonly Task[], error: unknown): void {
    const isBusy = !closed && sqliteCode(error) === BUSY;
    rejectAll(isBusy ? queue.putBack(batch) : batch, error);
  }

  function syncLater(batch: readonly Task[]): void {
    pacer.hold();
    wal
      .sync()
      .then(
        () => settleAll(batch),
        (error: unknown) => rejectAll(batch, error),
      )
      .finally(() => pacer.release());
  }

  function rejectAll(batch: readonly Task[], error: unknown): void {
    if (batch.length === 0) return;
    const failure = storeFailure(error, hooks.file);
    for (const task of batch) task.reject(failure);
  }

  return {
    run<T>(prepare: () => () => T, pace: Pace = "at_once") {
      return new Promise<T>((resolve, reject) => {
        requireWritable(hooks, closed);
        const work = prepare();
        pacer.ask(pace);
        queue.add({ work, resolve: resolve as (value: unknown) => void, reject, value: undefined, refusal: null });
      });
    },
    close() {
      closed = true;
      standStill(db, BUSY_MS);
      queue.hurry();
      flush();
      wal.close();
    },
  };
}

function requireWritable({ file, readOnly }: CommitHooks, isClosed: boolean): void {
  if (isClosed) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file });
  if (readOnly) throw pawlError(JOURNAL_ERRORS, "JOURNAL_READ_ONLY", { file });
}

/** How long a write is asked again, unless somebody says otherwise: whoever has the file is done in a moment, unless it stands still. */
export const PATIENCE_MS = 10_000;

/** Another process that writes is waited for so long, and everything stands still meanwhile: most are done in less. */
const BRIEF_MS = 50;

function standStill(db: Database, ms: number): void {
  db.exec(`PRAGMA busy_timeout=${ms}`);
}

/** `later`: it is in the -wal file then, and not yet on the disk. */
type Write = (batch: readonly Task[], sync: "now" | "later") => void;

function createWriter(db: Database, hooks: CommitHooks): Write {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");

  /** A place that is taken means that memory was behind another connection. All of it is forgotten then, and tried once more. */
  function write(batch: readonly Task[], isAgain = false): void {
    try {
      // `get` is the cheapest call: it makes no report of what was changed.
      begin.get();
      hooks.begun();
      for (const task of batch) attempt(task);
      hooks.committing();
      commit.get();
    } catch (error) {
      abandon();
      if (isAgain || sqliteCode(error) !== CONSTRAINT) throw error;
      write(batch, true);
    }
  }

  /** SQLite has rolled back by itself after some failures, such as a full disk. */
  function abandon(): void {
    try {
      if (db.isTransaction) db.exec("ROLLBACK");
    } finally {
      hooks.rolledBack();
    }
  }

  return (batch, sync) => {
    if (sync === "now") return write(batch);
    db.exec("PRAGMA synchronous=NORMAL");
    try {
      write(batch);
    } finally {
      db.exec("PRAGMA synchronous=FULL");
    }
  };
}

function attempt(task: Task): void {
  task.refusal = null;
  try {
    task.value = task.work();
  } catch (error) {
    if (!isPawlError(error)) throw error;
    task.refusal = error;
  }
}

function settleAll(batch: readonly Task[]): void {
  for (const { refusal, value, resolve, reject } of batch) {
    if (refusal === null) resolve(value);
    else reject(refusal);
  }
}
