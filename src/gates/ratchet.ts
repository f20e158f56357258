/** Compares the tests of a candidate with those of its base: what passed before must pass still, and be there. */

export interface TestVerdict {
  readonly outcome: "pass" | "fail" | "escalate";
  /** What the verdict stands on: results by test id, or nothing but the exit code. */
  readonly by: "tests" | "exit code";
  readonly reason: string;
  readonly counts: {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    /** Tests of the base; null when there is no base with ids. */
    readonly base: number | null;
  };
  /** Failed on the base, passes now. */
  readonly fixed: readonly string[];
  /** Failed on the base and fails now: tolerated. */
  readonly oldFailures: readonly string[];
  /** Blocks. */
  readonly newFailures: readonly string[];
  /** On the base and no longer there, or skipped now and not on the base: blocks. */
  readonly vanished: readonly string[];
  /** Not on the base: information. */
  readonly added: readonly string[];
  /** Fails, and has a label that has not expired: tolerated. */
  readonly flaky: readonly string[];
  /** Why a report cannot be trusted. */
  readonly problems: readonly string[];
}
