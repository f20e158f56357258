/** Patterns that a user writes. They are matched in linear time: what would need backtracking is refused when it is read. */
import { RE2JS } from "re2js";

export interface Pattern {
  /** How many groups it has. */
  readonly groups: number;
  /** How many steps it has: matching takes time in proportion to steps and characters. */
  readonly size: number;
  test(text: string): boolean;
  /** The first group of each match, one after the other; the pattern must have one. */
  matches(text: string): Iterable<string | null>;
}

export type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: string };

const LONGEST_PATTERN = 1000;
const MOST_STEPS = 200;

/** `lines`: `^` and `$` stand for the beginning and the end of a line, and not of the whole text. */
export function readPattern(source: string, { lines = false } = {}): PatternResult {
  if (source.length > LONGEST_PATTERN) return { ok: false, problem: `it is longer than ${LONGEST_PATTERN} characters` };
  const compiled = compile(source, lines);
  if (typeof compiled === "string") return { ok: false, problem: compiled };
  const size = compiled.programSize();
  if (size > MOST_STEPS) return { ok: false, problem: "it repeats too much: bounds such as {0,50} are written out" };
  const pattern: Pattern = {
    groups: compiled.groupCount(),
    size,
    test: (text) => compiled.matcher(text).find(),
    *matches(text) {
      const matcher = compiled.matcher(text);
      while (matcher.find()) yield matcher.group(1);
    },
  };
  return { ok: true, pattern };
}

function compile(source: string, lines: boolean): RE2JS | string {
  try {
    return RE2JS.compile(source, lines ? RE2JS.MULTILINE : 0);
  } catch (error) {
    return String((error as Error).message).replace("(?m)", "");
  }
}
