/**
 * Group commit: writes that are asked for together share one transaction, and so one sync of the disk. A commit begins when
 * every promise that could still ask for a write has run; now and then it waits for a turn of the event loop instead, so
 * that runs of short stages cannot keep timers, signals and sockets waiting. What comes from sockets always does, and where many
 * came together a little longer: each sync keeps all of them waiting.
 */
import { isPawlError, type PawlError, pawlError } from "../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Database } from "./driver.ts";
import { storeFailure } from "./file/failures.ts";

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

/** `at_once`: as soon as nobody asks for more right now. `in_turn`: when every socket that is ready was heard. */
export type Pace = "at_once" | "in_turn";

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

const COMMITS_PER_TURN = 16;
const CROWD_MS = 4;

export function createGroupCommit(db: Database, hooks: CommitHooks): GroupCommit {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let waiting: Task[] = [];
  const pacer = createPacer(flush);
  let closed = false;

  function flush(): void {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    pacer.begin(batch.length);
    try {
      // `get` is the cheapest call: it makes no report of what was changed.
      begin.get();
      hooks.begun();
      for (const task of batch) attempt(task);
      hooks.committing();
      commit.get();
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
    },
  };
}

/** Says when the next commit begins. */
function createPacer(flush: () => void) {
  let sinceTurn = 0;
  /** The pace of the commit that is to come; null: none is. */
  let coming: Pace | null = null;
  /** The last that came in turn was not alone. */
  let isCrowded = false;

  function inTurn(): void {
    sinceTurn = 0;
    setImmediate(flush);
  }

  return {
    ask(pace: Pace): void {
      if (coming === "at_once" || coming === pace) return;
      coming = pace;
      sinceTurn += 1;
      if (pace === "in_turn" && isCrowded) setTimeout(flush, CROWD_MS);
      else if (pace === "in_turn" || sinceTurn >= COMMITS_PER_TURN) inTurn();
      else process.nextTick(flush);
    },
    /** A commit of so many has begun. */
    begin(tasks: number): void {
      isCrowded = coming === "in_turn" && tasks > 1;
      coming = null;
    },
  };
}

function attempt(task: Task): void {
  try {
    task.value = task.work();
  } catch (error) {
    if (!isPawlError(error)) throw error;
    task.refusal = error;
  }
}

function settle(task: Task): void {
  if (task.refusal === null) task.resolve(task.value);
  else task.reject(task.refusal);
}
