/** What the stores of one memory share: as a file does for processes, it outlives each store that is opened on it. */
import type { RunId } from "../../base/ids.ts";
import type { Breaker } from "../../limits/breaker/breaker.ts";
import type { ControlRequest } from "../../ports/store/control.ts";
import type { EvidenceRecord } from "../../ports/store/evidence.ts";
import type { Holder, RunRow } from "../../ports/store/run-index.ts";
import type { ChainLink } from "../../run/record/check-chain.ts";
import type { Waiting } from "../../run/record/waiting.ts";
import { createMemoryBooks, type MemoryBooks } from "./ledger/ledger.ts";

export interface MemoryRun {
  /** Place in the order of creation. */
  readonly id: number;
  row: Omit<RunRow, "holder">;
  /** The pinned end of the chain. */
  head: string;
  readonly links: ChainLink[];
  owner: MemoryHost | null;
  waiting: Waiting;
}

/** One open store. */
export interface MemoryHost extends Holder {
  alive: boolean;
}

export interface MemoryState {
  readonly runs: Map<RunId, MemoryRun>;
  /** In the order of creation. */
  readonly order: MemoryRun[];
  /** Canonical text by fingerprint. */
  readonly plans: Map<string, string>;
  readonly requests: Map<RunId, ControlRequest[]>;
  /** In the order they were added. */
  readonly evidence: EvidenceRecord[];
  /** Targets that were ever in trouble. */
  readonly breakers: Map<string, Breaker>;
  /** Every store that was opened, by number. */
  readonly hosts: Map<string, MemoryHost>;
  readonly books: MemoryBooks;
  /** Called with the run after each write. */
  readonly listeners: Set<(run: RunId) => void>;
}

export function createMemoryState(): MemoryState {
  return {
    runs: new Map(),
    order: [],
    plans: new Map(),
    requests: new Map(),
    evidence: [],
    breakers: new Map(),
    hosts: new Map(),
    books: createMemoryBooks(),
    listeners: new Set(),
  };
}

export function announce(state: MemoryState, run: RunId): void {
  for (const listener of [...state.listeners]) listener(run);
}
