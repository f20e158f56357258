/** Store: everything durable about runs, opened and closed as one thing. */
import type { Breakers } from "./breakers.ts";
import type { Control } from "./control.ts";
import type { Evidence } from "./evidence.ts";
import type { Journal } from "./journal.ts";
import type { Lease } from "./lease.ts";
import type { Ledger } from "./ledger.ts";
import type { RunChain } from "./run-chain.ts";
import type { RunIndex } from "./run-index.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

/**
 * The parts share their commits: `journal.create` also claims the run for this host, and an append after which the run
 * has ended or rests (waiting, paused) also gives it back. `lease` serves every other case.
 */
export interface Store {
  readonly journal: Journal;
  readonly runs: RunIndex;
  readonly waiting: WaitingRuns;
  readonly chain: RunChain;
  readonly lease: Lease;
  readonly control: Control;
  readonly evidence: Evidence;
  readonly breakers: Breakers;
  readonly ledger: Ledger;
  /** It was opened to read, and there is more to see for whoever opens it again: runs where there were none, or another file. */
  isOutdated(): boolean;
  /** Problems of the store itself, below the level of events, and of the ledger, made again from its entries; empty when there are none. */
  integrity(): Promise<readonly string[]>;
  /** Calls back soon after another process has written anything; returns what ends that. It keeps no process alive. */
  onForeignChange(listener: () => void): () => void;
  /** Waits for writes under way, ends every watch and follow, lets go of the runs held here. Idempotent. */
  close(): Promise<void>;
}
