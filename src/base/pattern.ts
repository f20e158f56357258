/** Patterns that a user writes. They are matched in linear time: what would need backtracking is refused when it is read. */
import { RE2JS } from "re2js";

export interface Pattern {
  /** The first group of every match, in order; the whole match where the pattern has no group. */
  all(text: string): readonly string[];
  test(text: string): boolean;
}

export type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: string };

/** `^` and `$` stand for the beginning and the end of a line. */
export function readPattern(source: string): PatternResult {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.MULTILINE);
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
  const group = Math.min(1, compiled.groupCount());
  return {
    ok: true,
    pattern: {
      test: (text) => compiled.matcher(text).find(),
      all(text) {
        const matcher = compiled.matcher(text);
        const found: string[] = [];
        while (matcher.find()) found.push(matcher.group(group) ?? "");
        return found;
      },
    },
  };
}
