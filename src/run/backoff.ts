/** How long to wait before the next attempt. No chance in it: the same run waits the same. */
import type { BackoffSpec } from "../blueprint/blueprint.ts";

/** The wait after `failures` failed attempts (1, 2, …). */
export function backoffMs(backoff: BackoffSpec, failures: number): number {
  return Math.min(backoff.maxMs, Math.round(backoff.firstMs * backoff.factor ** (failures - 1)));
}
