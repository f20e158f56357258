/** Timers on the monotonic clock for any length; a plain timer above 2^31-1 ms would fire at once. */

const LONGEST_MS = 2 ** 31 - 1;

/**
 * Calls back once after `ms`; returns the function that calls it off. A host that was busy hears first what happened
 * meanwhile: timers come before sockets and children, and a turn later all of them were heard.
 */
export function after(ms: number, callback: () => void): () => void {
  const due = performance.now() + ms;
  let timer: NodeJS.Timeout;
  let turn: NodeJS.Immediate | undefined;
  const hear = (): void => {
    turn = setImmediate(callback);
  };
  const arm = (): void => {
    const left = due - performance.now();
    timer = left > LONGEST_MS ? setTimeout(arm, LONGEST_MS) : setTimeout(hear, Math.max(0, left));
  };
  arm();
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** Calls back when `touch` was not called for `ms`; not once more unless it is touched after that. */
export function watchSilence(ms: number, callback: () => void): { touch: () => void; cancel: () => void } {
  let last = performance.now();
  let isWaiting = true;
  let cancel: () => void;
  const check = (): void => {
    const left = last + ms - performance.now();
    isWaiting = left > 0;
    if (isWaiting) cancel = after(left, check);
    else callback();
  };
  cancel = after(ms, check);
  return {
    touch: () => {
      last = performance.now();
      if (isWaiting) return;
      isWaiting = true;
      cancel = after(ms, check);
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
