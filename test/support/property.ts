/**
 * Random cases with a seed that anyone can repeat. `npm test` always takes the same seed, so two runs of it give the same result.
 * `npm run test:full` takes a new one each time and prints it; PAWL_SEED repeats it, PAWL_CASES=100 tries 100 times as many cases.
 */
import fc from "fast-check";

/** Set for every worker by vitest.config.ts. */
export const SEED = Number(process.env["PAWL_SEED"] ?? 1);
const TIMES = Number(process.env["PAWL_CASES"] ?? 1);

export interface PropertyOptions {
  /** How many random cases. */
  readonly runs?: number;
  /** Seeds that failed once. Each is tried again in every run, because the defect that it found may come back. */
  readonly failedSeeds?: readonly number[];
  /** Stop at the first failure: a case that takes seconds is not made smaller. */
  readonly endOnFailure?: boolean;
}

export function assertProperty<T>(property: fc.IProperty<T>, options?: PropertyOptions): void {
  for (const attempt of attempts(options)) fc.assert(property, attempt);
}

export async function assertAsyncProperty<T>(property: fc.IAsyncProperty<T>, options?: PropertyOptions): Promise<void> {
  for (const attempt of attempts(options)) await fc.assert(property, attempt);
}

function attempts({ runs = 100, failedSeeds = [], endOnFailure = false }: PropertyOptions = {}) {
  const again = failedSeeds.map((seed) => ({ seed, numRuns: runs, endOnFailure }));
  return [...again, { seed: SEED, numRuns: cases(runs), endOnFailure }];
}

/** How many cases to try where `npm test` tries `usual`. */
export function cases(usual: number): number {
  return Math.ceil(usual * TIMES);
}

/** Seeds for tests that throw their own dice: the same ones in every `npm test`. */
export function seeds(usual: number): readonly number[] {
  return Array.from({ length: cases(usual) }, (_, index) => SEED + index);
}
