/** Reservation: the most that something may spend, held before it begins and settled when it has ended. */
import type { Account, Amounts, Cap } from "./cap.ts";

export interface Reservation {
  /** Names what spends: `RUN/STAGE/VISIT/ATTEMPT`, and `…/CALL` for a model call. Once per key. */
  readonly key: string;
  readonly at: number;
  /** Everybody who pays. */
  readonly accounts: readonly Account[];
  /** The most it may spend. */
  readonly amounts: Amounts;
  /** What must hold; caps of other accounts do not concern it. */
  readonly caps: readonly Cap[];
  /** From 0 on: the higher, the sooner. */
  readonly priority: number;
  /** Stand in line when it is refused for now, and ask again. */
  readonly wait: boolean;
  /** Who stands in line; the same for every attempt. Without it, the key. */
  readonly waiter?: string;
  /** It is spent as soon as it is granted: there is nothing to settle. */
  readonly outright?: true;
}

export interface Granted {
  readonly granted: true;
  /** The first cap of which 80 % or more was spent or held before this; null: there is none. */
  readonly degraded: Cap | null;
}

export interface Refused {
  readonly granted: false;
  /** The strictest of the caps that refuse: the one that frees last. */
  readonly cap: Cap;
  /** Settled in the window of the cap. */
  readonly spent: number;
  /** Held by others. */
  readonly reserved: number;
  readonly asked: number;
  /** When asking again can make sense; null: never, whatever the time. */
  readonly freesAt: number | null;
  /** How many stand before it in line. */
  readonly ahead: number;
}

export type Reserved = Granted | Refused;

/** What is kept of a reservation for ever. */
export interface Entry {
  readonly key: string;
  readonly at: number;
  readonly accounts: readonly Account[];
  readonly asked: Amounts;
  /** What it was charged, and when; null: it is open. */
  readonly settled: { readonly spent: Amounts; readonly at: number } | null;
}
