/** What pure code returns where failure is expected: the value, or every problem at once. */
import type { Diagnostic } from "./diagnostic.ts";

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(problems: readonly Diagnostic[]): Result<never> {
  return { ok: false, problems };
}
