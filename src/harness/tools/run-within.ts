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
  const limit = new AbortController();
  let stop: ReturnType<typeof setTimeout> | undefined;
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const until = AbortSignal.any([signal, limit.signal]);
  const over = new Promise<undefined>((resolve) => {
    until.addEventListener(
      "abort",
      () => {
        stop = setTimeout(() => resolve(undefined), GRACE_MS);
      },
      { once: true },
    );
  });
  try {
    const done = await Promise.race([settled(work, until), over]);
    if (signal.aborted) return { kind: "cancelled" };
    return done === undefined || limit.signal.aborted ? { kind: "late" } : done;
  } finally {
    clearTimeout(timer);
    clearTimeout(stop);
  }
}

async function settled<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<Done<T>> {
  try {
    return { kind: "value", value: await work(signal) };
  } catch (error) {
    return { kind: "broken", error };
  }
}
