/** How long a run waits for whoever it stands on: until it must stop, or for a while after its end. */
import type { Clock } from "../ports/clock.ts";

/** Whoever does not heed the signal is not waited for. Rejects with the reason of the signal. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Most answers are there at once: nothing is waited for then. */
export async function inTime<T>(answer: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return answer instanceof Promise ? orAborted(answer, signal) : answer;
}

/** Of a delivery, or of a hook that hears of the end. */
const AFTER_MS = 5 * 60_000;

/** What comes after the end of a run has a time of its own, which nobody can cancel. */
export async function orLate<T>(work: T | Promise<T>, clock: Clock, ms = AFTER_MS): Promise<T> {
  if (!(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    const callOff = clock.after(ms, () => reject(new Error(`it took longer than ${ms / 1000} seconds`)));
    work.then(resolve, reject).finally(callOff);
  });
}
