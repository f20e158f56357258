/** When a job may be taken from the worker that has it. */

export interface KeptJob {
  /** Whether the process of its worker lives. */
  readonly isAlive: boolean;
  /** Until when it is the worker's, on the clock of leases. */
  readonly lease: number;
  /** When it was first seen late since it was renewed last; null: it was not. */
  readonly late: number | null;
}

/** `suspect`: it is late, and to be remembered as seen late now. */
export type Keep = "kept" | "suspect" | "free";

/** Of a lease: how often a worker renews, and how long one that lives has from when it was seen late. */
export const RENEWALS = 3;

/**
 * A worker that is gone keeps nothing. One that lives has time to renew after it was seen late: where nobody could write for a while everybody is
 * late, and nobody stands still.
 */
export function keepOf({ isAlive, lease, late }: KeptJob, now: number, leaseMs: number): Keep {
  if (!isAlive) return "free";
  if (lease > now) return "kept";
  if (late === null) return "suspect";
  return now - late >= leaseMs / RENEWALS ? "free" : "kept";
}
