/** The text of a blueprint with its lines, so that any range of characters can be named as line and column. */
import type { Span } from "../../base/diagnostic.ts";

/** A range of characters, end excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Source {
  readonly file: string;
  readonly text: string;
  /** The part of the range that lies on its first line, at least one character long. */
  span(range: Range): Span;
}

export function createSource(text: string, file: string): Source {
  const lines = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.push(at + 1);
  return {
    file,
    text,
    span({ start, end }) {
      const line = lastAtMost(lines, start);
      const from = lines[line] as number;
      const next = lines[line + 1] ?? text.length + 1;
      return { file, line: line + 1, column: start - from + 1, length: Math.max(1, Math.min(end, next - 1) - start) };
    },
  };
}

/** Index of the last number that is not above `limit`; the first number never is. */
export function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] as number) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
