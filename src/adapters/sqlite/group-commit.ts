/** Group commit: writes that are asked for in one turn of the event loop share one transaction, and so one sync of the disk. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../ports/journal-errors.ts";
import type { Database } from "./driver.ts";
import { storeFailure } from "./failures.ts";

export interface GroupCommit {
  /**
   * Runs `work` inside the next transaction and resolves with its result when that is durable. A PawlError of `work`, thrown
   * before it wrote anything, rejects this call alone; any other failure rolls back and rejects every call of the transaction.
   */
  run<T>(work: () => T): Promise<T>;
  /** Commits what is waiting; later calls are rejected. */
  close(): void;
}

export interface CommitHooks {
  readonly file: string;
  readonly readOnly: boolean;
  /** After a commit, before its callers hear of it. */
  committed(): void;
  /** Whatever was remembered since the last commit is wrong. */
  rolledBack(): void;
}

interface Task {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly value: unknown } | { readonly error: unknown } | null;
}

export function createGroupCommit(db: Database, hooks: CommitHooks): GroupCommit {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let waiting: Task[] = [];
  let closed = false;

  function flush(): void {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    try {
      begin.run();
      for (const task of batch) attempt(task);
      commit.run();
    } catch (error) {
      abandon();
      const failure = storeFailure(error, hooks.file);
      for (const task of batch) task.reject(failure);
      return;
    }
    hooks.committed();
    for (const task of batch) settle(task);
  }

  /** SQLite has rolled back by itself after some failures, such as a full disk. */
  function abandon(): void {
    try {
      if (db.isTransaction) db.exec("ROLLBACK");
    } finally {
      hooks.rolledBack();
    }
  }

  return {
    run<T>(work: () => T) {
      return new Promise<T>((resolve, reject) => {
        const refusal = closed ? "JOURNAL_CLOSED" : hooks.readOnly ? "JOURNAL_READ_ONLY" : null;
        if (refusal !== null) throw pawlError(JOURNAL_ERRORS, refusal, { file: hooks.file });
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, outcome: null });
      });
    },
    close() {
      closed = true;
      flush();
    },
  };
}

function attempt(task: Task): void {
  try {
    task.outcome = { value: task.work() };
  } catch (error) {
    if (!isPawlError(error)) throw error;
    task.outcome = { error };
  }
}

function settle(task: Task): void {
  if (task.outcome !== null && "error" in task.outcome) task.reject(task.outcome.error);
  else task.resolve(task.outcome?.value);
}
