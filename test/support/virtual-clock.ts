/** Time that moves only when told, to the next thing that waits for it. */
import type { Clock } from "../../src/ports/clock.ts";

export interface VirtualClock extends Clock {
  /** Moves to the earliest sleeper and wakes it. False: nobody sleeps. */
  advance(): boolean;
  /** Forgets every sleeper: their host is dead. */
  forget(): void;
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

export function createVirtualClock(start = 1_700_000_000_000): VirtualClock {
  let now = start;
  let order = 0;
  let sleepers: Sleeper[] = [];
  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const sleeper: Sleeper = { at: now + Math.max(0, ms), order: order++, wake: resolve };
        sleepers.push(sleeper);
        signal.addEventListener(
          "abort",
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            resolve();
          },
          { once: true },
        );
      });
    },
    advance() {
      let first: Sleeper | undefined;
      for (const sleeper of sleepers) {
        if (first === undefined || sleeper.at < first.at || (sleeper.at === first.at && sleeper.order < first.order))
          first = sleeper;
      }
      if (first === undefined) return false;
      sleepers = sleepers.filter((other) => other !== first);
      now = Math.max(now, first.at);
      first.wake();
      return true;
    },
    forget() {
      sleepers = [];
    },
  };
}
