/** A problem as plain data: what is wrong, why it matters, what to do, and where. Errors carry one; validation returns many. */
import type { JsonObject } from "./json.ts";

/** A place in a text file. Lines and columns count from 1; `length` is in characters and never crosses a line. */
export interface Span {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Whether the same call may be tried again: never, safely at once, or after something has been changed. */
export type Retry = "never" | "safe" | "after_change";

export interface Diagnostic {
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly hint: string;
  readonly data: JsonObject;
  readonly retry: Retry;
  /** Exit code of the command line for this problem: 3 when the input is at fault, 1 otherwise. */
  readonly exit: 1 | 3;
  readonly where?: Span;
}

export interface ProblemSpec {
  readonly what: (data: never) => string;
  readonly why: string;
  readonly hint: string | ((data: never) => string);
  readonly retry: Retry;
  readonly exit: 1 | 3;
}

export type Catalogue = Readonly<Record<string, ProblemSpec>>;

type DataOf<S extends ProblemSpec> = Parameters<S["what"]>[0];

/** Builds a diagnostic from its catalogue entry; a code without an entry does not compile. */
export function diagnose<C extends Catalogue, K extends keyof C & string>(
  catalogue: C,
  code: K,
  data: DataOf<C[K]> & JsonObject,
  where?: Span,
): Diagnostic {
  const spec = catalogue[code] as ProblemSpec;
  const facts = data as never;
  return {
    code,
    what: spec.what(facts),
    why: spec.why,
    hint: typeof spec.hint === "string" ? spec.hint : spec.hint(facts),
    data,
    retry: spec.retry,
    exit: spec.exit,
    ...(where === undefined ? {} : { where }),
  };
}

/** The lines around a span with the span underlined. `text` is the whole file. */
export function codeFrame(text: string, span: Span): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, span.line - 1);
  const last = Math.min(lines.length, span.line + 1);
  const width = String(last).length;
  const out: string[] = [];
  for (let line = first; line <= last; line += 1) {
    const source = (lines[line - 1] as string).slice(0, 160);
    out.push(`${line === span.line ? ">" : " "} ${String(line).padStart(width)} | ${source}`);
    if (line === span.line) {
      const gap = source.slice(0, span.column - 1).replace(/[^\t]/g, " ");
      const marks = "^".repeat(Math.max(1, Math.min(span.length, source.length - span.column + 1)));
      out.push(`  ${" ".repeat(width)} | ${gap}${marks}`);
    }
  }
  return out.join("\n");
}
