/** How long to wait before the next attempt. No chance in it: the same run waits the same. */
import type { BackoffSpec } from "../blueprint/blueprint.ts";

/** The wait after `failures` failed attempts (1, 2, …). */
export function backoffMs(backoff: BackoffSpec, failures: number): number {
  // A power beyond every number must not turn "no wait" into something that is not a number.
  const growth = Math.min(backoff.factor ** (failures - 1), Number.MAX_SAFE_INTEGER);
  return Math.min(backoff.maxMs, Math.round(backoff.firstMs * growth));
}
