/** Ledger: what was spent and what is held, for every process of a project. Reserve before, settle after; a crash keeps what is held. */
import type { Account, Amounts, Unit, Window } from "../../limits/ledger/cap.ts";
import type { Reservation, Reserved } from "../../limits/ledger/reservation.ts";

export interface Standing {
  readonly account: Account;
  readonly unit: Unit;
  /** Settled in each window. */
  readonly spent: Readonly<Record<Window, number>>;
  /** Held by open reservations: it counts in every window. */
  readonly reserved: number;
}

export interface OpenReservation {
  readonly key: string;
  readonly at: number;
  readonly accounts: readonly Account[];
  readonly amounts: Amounts;
}

export interface OpenQuery {
  /** Only keys below this one. */
  readonly prefix?: string;
  readonly limit: number;
  /** Opaque position from `next` of the page before. */
  readonly cursor?: string;
}

export interface OpenPage {
  /** In the order of their keys. */
  readonly reservations: readonly OpenReservation[];
  /** null: the last page. */
  readonly next: string | null;
}

export interface Ledger {
  /**
   * Holds the amounts for every account, or says which cap refuses, in one durable step: of any number of processes that ask at
   * once, no more are granted than fit. Asking again under a key that is held is granted and holds nothing more. Rejects with
   * LEDGER_KEY_SPENT for a key that was settled, LEDGER_AMOUNT_INVALID, JOURNAL_*. Its cost does not grow with the history.
   */
  reserve(reservation: Reservation): Promise<Reserved>;
  /**
   * Books what was spent instead of what was held, at this time. The first settlement of a key counts; a key that holds nothing is
   * left alone. A unit of which nothing is told, and "unknown", cost what was held; more than was held is booked in full. Resolves to
   * what the key was charged, by whichever settlement; null: nothing was ever held for it, or it was given back.
   */
  settle(key: string, actual: Amounts | "unknown", at: number): Promise<Amounts | null>;
  /** Gives back what the key holds, of which nothing can have been spent, and leaves the line if it is the name of a waiter. */
  withdraw(key: string): Promise<void>;
  /** Settled and still held under all keys `keyPrefix/…`. */
  usage(keyPrefix: string): Promise<Amounts>;
  /** How many keys `keyPrefix/…` there are, settled or held. */
  count(keyPrefix: string): Promise<number>;
  /** Of each account, every unit that was ever booked for it, in the order asked. */
  standing(accounts: readonly Account[], at: number, offsetMinutes?: number): Promise<readonly Standing[]>;
  /** What is held, page by page: for whoever knows what has become of it. */
  open(query: OpenQuery): Promise<OpenPage>;
}
