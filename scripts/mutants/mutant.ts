/** The smallest edit that takes one guard away, and the tests that must notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Must stand exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** Simulated runs; 400 unless told. */
  readonly seeds?: number;
}

export const LAWS = ["test/simulation/crash.test.ts"];
