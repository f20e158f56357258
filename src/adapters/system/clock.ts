/** Clock of the machine. */
import type { Clock } from "../../ports/clock.ts";

/** A timer takes no more; longer sleeps are made of several. */
const LONGEST_MS = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return { now: () => Date.now(), sleep };
}

/** Measured on the monotonic clock: setting the time neither shortens nor lengthens a sleep. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const arm = (): void => {
      const left = due - performance.now();
      if (left > LONGEST_MS) timer = setTimeout(arm, LONGEST_MS);
      else timer = setTimeout(finish, Math.max(0, Math.ceil(left)));
    };
    signal.addEventListener("abort", finish, { once: true });
    arm();
  });
}
