/** The account of one loop for one day (UTC), kept by the program that runs it. What cannot be counted opens it. */
import { nextDay } from "../../limits/ledger/windows.ts";
import type { Spent } from "./found.ts";

export interface DailyBreaker {
  readonly cap: number;
  /** Today. */
  readonly spent: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Nothing may begin: the cap is spent, or somebody has opened it. */
  readonly isOpen: boolean;
  charge(tokens: number): void;
  /** Opens it for good, whatever is left. */
  kill(): void;
  standing(): Spent;
}

export function createDailyBreaker(cap: number, now: () => number): DailyBreaker {
  let [day, spent, isKilled] = [nextDay({}, now()), 0, false];
  const today = (): number => {
    const current = nextDay({}, now());
    // A clock that is put back gives nothing back.
    if (current > day) [day, spent] = [current, 0];
    return spent;
  };
  return {
    cap,
    get spent() {
      return today();
    },
    get remaining() {
      return today() < cap ? cap - today() : 0;
    },
    get isOpen() {
      return isKilled || !(today() < cap);
    },
    charge(tokens) {
      spent = today() + Math.max(0, tokens);
    },
    kill() {
      isKilled = true;
    },
    standing: () => ({ spent: today(), cap, isKilled }),
  };
}
