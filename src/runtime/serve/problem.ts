/** What went wrong, as it is told. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { isPawlError, PawlError } from "../../base/errors.ts";

export function problemOf(error: unknown): { readonly code: string | null; readonly message: string } {
  if (isPawlError(error)) return { code: error.code, message: error.message };
  return { code: null, message: error instanceof Error ? error.message : String(error) };
}

/** All that is wrong with a blueprint, each with its place. */
export function problemsError(problems: readonly Diagnostic[]): PawlError {
  const placed = problems.map((problem) => {
    const { where } = problem;
    return where === undefined
      ? problem
      : { ...problem, what: `${where.file}:${where.line}:${where.column} ${problem.what}` };
  });
  return new PawlError(placed);
}
