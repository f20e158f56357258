/** Time that moves only when told, to the next thing that waits for it. */
import type { Clock } from "../../src/ports/clock.ts";

export interface VirtualClock extends Clock {
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Moves to the earliest call that is due and makes it. False: there is none. */
  advance(): boolean;
  /** Forgets every call: their host is dead. */
  forget(): void;
}

interface Call {
  readonly at: number;
  readonly order: number;
  readonly make: () => void;
}

export function createVirtualClock(start = 1_700_000_000_000): VirtualClock {
  let now = start;
  let order = 0;
  let calls: Call[] = [];
  const after = (ms: number, make: () => void): (() => void) => {
    const call: Call = { at: now + Math.max(0, ms), order: order++, make };
    calls.push(call);
    return () => {
      calls = calls.filter((other) => other !== call);
    };
  };
  return {
    now: () => now,
    after,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const callOff = after(ms, resolve);
        signal.addEventListener(
          "abort",
          () => {
            callOff();
            resolve();
          },
          { once: true },
        );
      });
    },
    advance() {
      let first: Call | undefined;
      for (const call of calls) {
        if (first === undefined || call.at < first.at || (call.at === first.at && call.order < first.order))
          first = call;
      }
      if (first === undefined) return false;
      calls = calls.filter((other) => other !== first);
      now = Math.max(now, first.at);
      first.make();
      return true;
    },
    forget() {
      calls = [];
    },
  };
}
