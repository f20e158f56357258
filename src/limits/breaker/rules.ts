/** How patient a breaker is with its target. */
export interface BreakerRules {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open the first time; twice as long after each trial that fails. */
  readonly coolDownMs: number;
  readonly longestMs: number;
  /** A trial that has not ended by then is given up. */
  readonly trialMs: number;
  /** Between two of those who waited for a target that was parked. */
  readonly staggerMs: number;
}

/** Of every target that says nothing else. */
export const BREAKER_RULES: BreakerRules = {
  failures: 5,
  coolDownMs: 30_000,
  longestMs: 15 * 60_000,
  trialMs: 10 * 60_000,
  staggerMs: 5000,
};
