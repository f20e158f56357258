/** RunChain: what tells that no run is missing. Each run is entered in one chain for the whole store, whose end is pinned outside it. */
import type { RunId } from "../../base/ids.ts";

export interface ChainStanding {
  /** What is there now. */
  readonly runs: number;
  readonly events: number;
  /** false: the store was written by an earlier version; its runs are chained when something is stored next. */
  readonly isChained: boolean;
  /** A person has started it anew, or has taken it as it is, knowing that runs are missing. */
  readonly isAccepted: boolean;
  /** What is missing or was changed, each in a sentence. */
  readonly problems: readonly string[];
}

export interface ChainFault {
  /** null: nothing tells which. */
  readonly run: RunId | null;
  readonly problem: string;
}

/** A place in the chain; whoever reads on gives it back. */
export interface ChainPlace {
  readonly n: number;
  readonly hash: string;
}

export interface ChainPage {
  readonly faults: readonly ChainFault[];
  /** null: that was all. */
  readonly next: ChainPlace | null;
}

export interface RunPlaces {
  readonly runs: readonly RunId[];
  /** null: that was all. */
  readonly next: number | null;
}

export interface RunChain {
  /** Compares the store with its pin, and counts the runs: what must hold before anything is listed. It costs the same however many events there are. */
  problems(): Promise<readonly string[]>;
  /** The same, and counts the events. It reads none. */
  standing(): Promise<ChainStanding>;
  /** Checks some entries after a place, each against the one before and against the run that it names; null: from the first. */
  check(after: ChainPlace | null): Promise<ChainPage>;
  /** Every run, children and drills too, in the order in which they were created; 0: from the first. */
  list(after: number): Promise<RunPlaces>;
  /** How many events of the run are from before there was this chain: until then nobody recorded which trees were dropped. */
  migratedUntil(run: RunId): Promise<number>;
}
