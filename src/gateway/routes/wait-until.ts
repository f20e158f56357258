/** Waits for an instant, or until nobody waits any more. */
import type { Clock } from "../../ports/clock.ts";

export function waitUntil(at: number, signal: AbortSignal, clock: Clock): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(Math.max(0, at - clock.now()), done);
    signal.addEventListener("abort", done, { once: true });
  });
}
