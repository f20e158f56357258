/** Timers on the monotonic clock for any length; a plain timer above 2^31-1 ms would fire at once. */

const LONGEST_MS = 2 ** 31 - 1;

/** Calls back once after `ms`; returns the function that calls it off. */
export function after(ms: number, callback: () => void): () => void {
  const due = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = due - performance.now();
    timer = left > LONGEST_MS ? setTimeout(arm, LONGEST_MS) : setTimeout(callback, Math.max(0, left));
  };
  arm();
  return () => clearTimeout(timer);
}

/** Calls back when `touch` was not called for `ms`. */
export function watchSilence(ms: number, callback: () => void): { touch: () => void; cancel: () => void } {
  let last = performance.now();
  let cancel: () => void;
  const check = (): void => {
    const left = last + ms - performance.now();
    if (left <= 0) callback();
    else cancel = after(left, check);
  };
  cancel = after(ms, check);
  return {
    touch: () => {
      last = performance.now();
    },
    cancel: () => cancel(),
  };
}

/** Resolves with the promise or after `ms`, whichever is first; leaves no timer behind. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let cancel: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = after(ms, resolve);
  });
  await Promise.race([promise, late]);
  cancel();
}
