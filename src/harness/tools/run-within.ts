/** Runs a piece of work that may ignore the signal it is given. It gets a moment to end by itself; then it is left behind. */

export type Done<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "broken"; readonly error: unknown }
  | { readonly kind: "late" }
  | { readonly kind: "cancelled" };

/** What has been started needs this long to be ended. */
const GRACE_MS = 3000;

/** Never rejects. With a signal that has aborted before, nothing is started. */
export async function runWithin<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Done<T>> {
  if (signal.aborted) return { kind: "cancelled" };
  const stop = new AbortController();
  let isLate = false;
  let left: ReturnType<typeof setTimeout> | undefined;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, timeoutMs);
  // Not joined with the signal of the run: that lives long, and would remember every call.
  const onAbort = (): void => stop.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const over = new Promise<undefined>((resolve) => {
    stop.signal.onabort = () => {
      left = setTimeout(() => resolve(undefined), GRACE_MS);
    };
  });
  try {
    const done = await Promise.race([settled(work, stop.signal), over]);
    if (signal.aborted) return { kind: "cancelled" };
    return done === undefined || isLate ? { kind: "late" } : done;
  } finally {
    clearTimeout(timer);
    clearTimeout(left);
    signal.removeEventListener("abort", onAbort);
  }
}

async function settled<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<Done<T>> {
  try {
    return { kind: "value", value: await work(signal) };
  } catch (error) {
    return { kind: "broken", error };
  }
}
