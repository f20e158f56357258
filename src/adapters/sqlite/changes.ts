/** Tells who waits that something was written: at once when it was written here, soon when by another process. */
import type { Database } from "./driver.ts";

export interface Changes {
  /** Something of this run was written here. */
  wake(run: string): void;
  /** Calls back after another process has written. It does not keep this process alive. */
  onForeign(listener: () => void): () => void;
  /** Begins to wait for changes of a run. The waiter keeps this process alive until it is closed. */
  waiter(run: string): Waiter;
  /** Ends every wait for good. */
  close(): void;
}

export interface Waiter {
  /** Resolves after the next change that may concern the run, at once if there was one since the last call. */
  changed(): Promise<void>;
  /** Counts as a change. */
  nudge(): void;
  close(): void;
}

const POLL_MS = 200;

export function createChanges(db: Database): Changes {
  const version = db.prepare<{ data_version: number }>("PRAGMA data_version");
  const [foreign, waiters] = [new Set<() => void>(), new Map<string, Set<() => void>>()];
  let timer: NodeJS.Timeout | null = null;
  let seen = 0;
  let closed = false;

  const current = (): number => version.get()?.data_version ?? 0;

  function nudgeAll(): void {
    for (const set of waiters.values()) for (const nudge of set) nudge();
  }

  /** Nobody listens now: the timer ends with its next turn, unless somebody does again. To begin one costs more. */
  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  function poll(): void {
    if (foreign.size + waiters.size === 0) stop();
    const now = current();
    if (now === seen) return;
    seen = now;
    for (const listener of [...foreign]) listener();
    nudgeAll();
  }

  /** One timer for all. */
  function arrange(): void {
    if (closed) stop();
    else if (timer === null && foreign.size + waiters.size > 0) {
      seen = current();
      timer = setInterval(poll, POLL_MS);
    }
    if (waiters.size > 0) timer?.ref();
    else timer?.unref();
  }

  return {
    wake(run) {
      if (waiters.size === 0) return;
      for (const nudge of waiters.get(run) ?? []) nudge();
    },
    onForeign(listener) {
      foreign.add(listener);
      arrange();
      return () => {
        foreign.delete(listener);
        arrange();
      };
    },
    waiter(run) {
      const set = waiters.get(run) ?? new Set();
      waiters.set(run, set);
      const waiter = createWaiter(() => {
        set.delete(waiter.nudge);
        if (set.size === 0 && waiters.get(run) === set) waiters.delete(run);
        arrange();
      });
      set.add(waiter.nudge);
      arrange();
      return waiter;
    },
    close() {
      closed = true;
      nudgeAll();
      waiters.clear();
      foreign.clear();
      arrange();
    },
  };
}

function createWaiter(close: () => void): Waiter {
  let pending = false;
  let resume: (() => void) | null = null;
  return {
    close,
    nudge() {
      pending = resume === null;
      resume?.();
      resume = null;
    },
    changed() {
      if (pending) {
        pending = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        resume = resolve;
      });
    },
  };
}
