/** What the ledger should say, counted in the plainest way: every settlement with its exact time, every open reservation by its key. */
import type { Cap } from "../../src/limits/ledger/cap.ts";

const DAY_MS = 86_400_000;

export interface LedgerModel {
  granted(key: string, amount: number): void;
  /** The amount that was booked for the key; 0: it was not open. */
  settled(key: string, told: number | "unknown", at: number): number;
  isOpen(key: string): boolean;
  held(): number;
  /** Spent in the window of the cap, to the millisecond. */
  spent(cap: Cap, at: number): number;
}

export function createLedgerModel(): LedgerModel {
  const open = new Map<string, number>();
  const settlements: { readonly at: number; readonly amount: number }[] = [];
  let held = 0;
  let total = 0;
  /** Settlements before this one are more than a week old; time only goes on. */
  let firstOfWeek = 0;
  let week = 0;
  let day = { number: -1, sum: 0 };
  return {
    granted(key, amount) {
      open.set(key, amount);
      held += amount;
    },
    settled(key, told, at) {
      const asked = open.get(key);
      if (asked === undefined) return 0;
      open.delete(key);
      held -= asked;
      const amount = told === "unknown" ? asked : told;
      settlements.push({ at, amount });
      total += amount;
      week += amount;
      const number = Math.floor(at / DAY_MS);
      day = { number, sum: (day.number === number ? day.sum : 0) + amount };
      return amount;
    },
    isOpen: (key) => open.has(key),
    held: () => held,
    spent({ window }, at) {
      if (window === "run") return total;
      if (window === "day") return day.number === Math.floor(at / DAY_MS) ? day.sum : 0;
      for (let next = settlements[firstOfWeek]; next !== undefined; next = settlements[firstOfWeek]) {
        if (next.at > at - 7 * DAY_MS) break;
        week -= next.amount;
        firstOfWeek += 1;
      }
      return week;
    },
  };
}
