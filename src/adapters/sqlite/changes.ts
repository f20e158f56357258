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
  /** Resolves a pending `changed`. */
  nudge(): void;
  close(): void;
}

const POLL_MS = 200;

export function createChanges(db: Database): Changes {
  const version = db.prepare<{ data_version: number }>("PRAGMA data_version");
  const foreign = new Set<() => void>();
  const waiters = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | null = null;
  let seen = 0;
  let closed = false;

  const current = (): number => version.get()?.data_version ?? 0;

  function poll(): void {
    const now = current();
    if (now === seen) return;
    seen = now;
    for (const listener of [...foreign]) listener();
    for (const set of waiters.values()) for (const nudge of set) nudge();
  }

  /** One timer for all; it runs only while somebody listens. */
  function arrange(): void {
    const wanted = !closed && foreign.size + waiters.size > 0;
    if (!wanted && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    if (wanted && timer === null) {
      seen = current();
      timer = setInterval(poll, POLL_MS);
    }
    if (waiters.size > 0) timer?.ref();
    else timer?.unref();
  }

  function addWaiter(run: string, nudge: () => void): void {
    const set = waiters.get(run);
    if (set === undefined) waiters.set(run, new Set([nudge]));
    else set.add(nudge);
    arrange();
  }

  function removeWaiter(run: string, nudge: () => void): void {
    const set = waiters.get(run);
    if (set?.delete(nudge) === true && set.size === 0) waiters.delete(run);
    arrange();
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
      let pending = false;
      let resume: (() => void) | null = null;
      const nudge = (): void => {
        pending = resume === null;
        resume?.();
        resume = null;
      };
      addWaiter(run, nudge);
      return {
        nudge,
        changed() {
          if (pending || closed) {
            pending = false;
            return Promise.resolve();
          }
          return new Promise((resolve) => {
            resume = resolve;
          });
        },
        close: () => removeWaiter(run, nudge),
      };
    },
    close() {
      closed = true;
      for (const set of waiters.values()) for (const nudge of set) nudge();
      waiters.clear();
      foreign.clear();
      arrange();
    },
  };
}
