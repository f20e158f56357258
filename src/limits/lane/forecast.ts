/** When a job that waits is likely to begin: from how long the last ones took, and how many are served at once. */

export interface LanePace {
  readonly max: number;
  readonly running: number;
  /** Mean of the last jobs; null: none has ended yet. */
  readonly meanMs: number | null;
}

/** What a lane may run at once that nobody has said anything about. */
export const USUAL_MAX = 2;
/** Of so many that have ended last is the mean taken. */
export const MEAN_OF = 50;
/** Throughput is counted over this time. */
export const PACE_MS = 3_600_000;

/** `position` counts from 1. null: nothing has ended yet, or nothing may run. */
export function etaMs(position: number, { max, running, meanMs }: LanePace): number | null {
  if (max === 0) return null;
  const behind = position - Math.max(0, max - running);
  if (behind <= 0) return 0;
  return meanMs === null ? null : Math.round((behind * meanMs) / max);
}
