/** The one error class. Expected failures are returned as diagnostics; a PawlError is thrown where a caller cannot go on. */
import { type Catalogue, type Diagnostic, diagnose, type Span } from "./diagnostic.ts";
import type { JsonObject } from "./json.ts";

const MARK = Symbol.for("pawl.error");

export class PawlError extends Error {
  readonly [MARK] = true;
  /** At least one; validation may carry many. */
  readonly problems: readonly Diagnostic[];

  constructor(problems: Diagnostic | readonly Diagnostic[], options?: { cause?: unknown }) {
    const list = Array.isArray(problems) ? (problems as readonly Diagnostic[]) : [problems as Diagnostic];
    super(list.map((problem) => problem.what).join("\n"), options);
    this.name = "PawlError";
    this.problems = list;
  }

  get code(): string {
    return this.problems[0]?.code ?? "INTERNAL_DEFECT";
  }

  toJSON(): JsonObject {
    return { name: this.name, problems: this.problems as unknown as JsonObject[] };
  }
}

/** Recognises the error of any copy of this package, which `instanceof` does not. */
export function isPawlError(error: unknown): error is PawlError {
  return typeof error === "object" && error !== null && MARK in error;
}

/** Builds the error for one catalogue entry. */
export function pawlError<C extends Catalogue, K extends keyof C & string>(
  catalogue: C,
  code: K,
  data: Parameters<C[K]["what"]>[0] & JsonObject,
  at?: { where?: Span; cause?: unknown },
): PawlError {
  return new PawlError(diagnose(catalogue, code, data, at?.where), at?.cause === undefined ? {} : { cause: at.cause });
}
