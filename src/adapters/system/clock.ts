/** Clock of the machine. */
import type { Clock } from "../../ports/clock.ts";

/** A timer takes no more; longer waits are made of several. */
const LONGEST_MS = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return { now: () => Date.now(), after };
}

/** Measured on the monotonic clock: setting the time neither shortens nor lengthens a wait. */
function after(ms: number, call: () => void): () => void {
  if (ms > LONGEST_MS) return afterLong(ms, call);
  const timer = setTimeout(call, Math.max(0, Math.ceil(ms)));
  return () => clearTimeout(timer);
}

function afterLong(ms: number, call: () => void): () => void {
  const due = performance.now() + ms;
  const arm = (): NodeJS.Timeout => {
    const left = due - performance.now();
    const next = (): void => {
      timer = arm();
    };
    return left > LONGEST_MS ? setTimeout(next, LONGEST_MS) : setTimeout(call, Math.max(0, Math.ceil(left)));
  };
  let timer = arm();
  return () => clearTimeout(timer);
}
