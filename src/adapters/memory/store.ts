/** The store in memory. Stores opened on the same state see each other's runs, as processes do that share a file. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Store } from "../../ports/store/store.ts";
import { createMemoryControl } from "./control.ts";
import { createMemoryEvidence } from "./evidence.ts";
import { createMemoryJournal } from "./journal.ts";
import { createMemoryLease } from "./lease.ts";
import { createMemoryLedger, memoryBookProblems } from "./ledger/ledger.ts";
import { createMemoryBreakers } from "./limits/breakers.ts";
import { createMemoryRunChain } from "./runs/run-chain.ts";
import { createMemoryRunIndex } from "./runs/run-index.ts";
import { createMemoryWaitingRuns } from "./runs/waiting-runs.ts";
import { createMemoryState, type MemoryHost, type MemoryState } from "./state.ts";

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** A new one if not given. */
  readonly state?: MemoryState;
}

export function createMemoryStore({ clock, state = createMemoryState() }: MemoryStoreOptions): Store {
  const self: MemoryHost = { pid: process.pid, hostname: "memory", since: clock.now(), alive: true };
  const waiting = new Set<() => void>();

  async function guarded<T>(work: () => T): Promise<T> {
    if (!self.alive) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file: "memory" });
    return work();
  }

  function changed(run: RunId, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        state.listeners.delete(listen);
        waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const listen = (written: RunId): void => {
        if (written === run) wake();
      };
      state.listeners.add(listen);
      waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  async function close(): Promise<void> {
    self.alive = false;
    for (const wake of [...waiting]) wake();
  }

  return {
    journal: createMemoryJournal({ state, self, guarded, changed, close }),
    runs: createMemoryRunIndex({ state, guarded }),
    waiting: createMemoryWaitingRuns({ state, guarded }),
    chain: createMemoryRunChain({ state, guarded }),
    lease: createMemoryLease({ state, self, guarded }),
    control: createMemoryControl({ state, self, guarded }),
    evidence: createMemoryEvidence({ state, guarded }),
    breakers: createMemoryBreakers({ state, self, guarded }),
    ledger: createMemoryLedger({ books: state.books, guarded }),
    isOutdated: () => false,
    integrity: async () => memoryBookProblems(state.books),
    onForeignChange(listener) {
      const listen = (): void => {
        if (self.alive) listener();
      };
      state.listeners.add(listen);
      return () => void state.listeners.delete(listen);
    },
    close,
  };
}
