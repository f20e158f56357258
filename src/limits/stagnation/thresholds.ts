/** How often something may repeat without anything new before a run counts as stuck. No rule can be switched off. */

export interface StagnationLimits {
  /** Visits of one stage that failed the same way. */
  readonly sameFailure: number;
  /** Visits of one stage that could change the tree, ended well and left it as it was. */
  readonly sameTree: number;
  /** Changes of the tree in a row that led back to a tree which the run had before. */
  readonly oscillation: number;
  /** Visits of one stage that changes nothing and ended well. */
  readonly repeats: number;
  /** Failed verdicts of a tests gate in a row without a test outcome that is new. */
  readonly testOutcomes: number;
}

export type StagnationRule = keyof StagnationLimits;

/** The first time is no repetition. */
export const FEWEST_REPEATS = 2;
export const MOST_REPEATS = 100;

export const STAGNATION_DEFAULTS: StagnationLimits = {
  sameFailure: 3,
  sameTree: 3,
  oscillation: 4,
  repeats: 3,
  testOutcomes: 10,
};

/** As an author writes them. */
export const STAGNATION_NAMES = {
  sameFailure: "same_failure",
  sameTree: "same_tree",
  oscillation: "oscillation",
  repeats: "repeats",
  testOutcomes: "test_outcomes",
} as const satisfies Record<StagnationRule, string>;

export const STAGNATION_RULES = Object.keys(STAGNATION_NAMES) as readonly StagnationRule[];
