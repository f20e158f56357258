/**
 * Group commit: writes that are asked for together share one transaction, and so one sync of the disk. A commit begins when
 * every promise that could still ask for a write has run; now and then it waits for a turn of the event loop instead, so
 * that runs of short stages cannot keep timers, signals and sockets waiting. What comes from sockets always does, and where many
 * came together a little longer. Such a commit is synced on another thread, so that no socket waits for the disk; until then nobody
 * hears of it, and what comes meanwhile waits for the next.
 */
import { isPawlError, type PawlError, pawlError } from "../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Database } from "./driver.ts";
import { CONSTRAINT, sqliteCode, storeFailure } from "./file/failures.ts";
import { createWalSync } from "./file/wal-sync.ts";
import { createPacer, type Pace } from "./pacer.ts";

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
  let waiting: Task[] = [];
  let closed = false;

  function flush(): void {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    const sync = pacer.begin(batch.length) === "in_turn" && !closed ? "later" : "now";
    try {
      write(batch, sync);
    } catch (error) {
      rejectAll(batch, error);
      return;
    }
    hooks.committed();
    if (sync === "now") settleAll(batch);
    else syncLater(batch);
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
    const failure = storeFailure(error, hooks.file);
    for (const task of batch) task.reject(failure);
  }

  function refuse(): void {
    if (closed) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file: hooks.file });
    if (hooks.readOnly) throw pawlError(JOURNAL_ERRORS, "JOURNAL_READ_ONLY", { file: hooks.file });
  }

  return {
    run<T>(prepare: () => () => T, pace: Pace = "at_once") {
      return new Promise<T>((resolve, reject) => {
        refuse();
        const work = prepare();
        pacer.ask(pace);
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, value: undefined, refusal: null });
      });
    },
    close() {
      closed = true;
      flush();
      wal.close();
    },
  };
}

type Write = (batch: readonly Task[], sync: "now" | "later") => void;

/** `later`: it is in the -wal file then, and not yet on the disk. */
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
