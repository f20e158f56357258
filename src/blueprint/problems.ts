/** Collects the problems of one text. Bounded: a hostile text costs no more than a bad one. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { JsonObject } from "../base/json.ts";
import { nearest } from "../base/text/nearest.ts";
import { BLUEPRINT_ERRORS } from "./errors.ts";
import type { Range, Source } from "./text/source.ts";

const MOST_PROBLEMS = 200;
const MOST_GUESSES = 50;

export type BlueprintCode = keyof typeof BLUEPRINT_ERRORS;
export type ProblemData<K extends BlueprintCode> = Parameters<(typeof BLUEPRINT_ERRORS)[K]["what"]>[0] & JsonObject;

export interface Problems {
  readonly source: Source;
  report<K extends BlueprintCode>(code: K, data: ProblemData<K>, at: Range): void;
  /** The known name that was probably meant. Stops guessing after many problems. */
  guess(name: string, names: Iterable<string>): { readonly nearest?: string };
  isFull(): boolean;
  /** How many there are so far. */
  count(): number;
  /** In the order of the text. */
  list(): readonly Diagnostic[];
}

export function createProblems(source: Source): Problems {
  const found: { readonly start: number; readonly diagnostic: Diagnostic }[] = [];
  let more = 0;
  let guesses = 0;
  return {
    source,
    report(code, data, at) {
      if (found.length === MOST_PROBLEMS) more += 1;
      else found.push({ start: at.start, diagnostic: diagnose(BLUEPRINT_ERRORS, code, data, source.span(at)) });
    },
    guess(name, names) {
      if (guesses === MOST_GUESSES) return {};
      guesses += 1;
      const guessed = nearest(name, names);
      return guessed === undefined ? {} : { nearest: guessed };
    },
    count: () => found.length + more,
    isFull: () => found.length === MOST_PROBLEMS,
    list() {
      const sorted = found.toSorted((a, b) => a.start - b.start);
      const last = sorted.at(-1);
      if (more === 0 || last === undefined) return sorted.map(({ diagnostic }) => diagnostic);
      const rest = diagnose(BLUEPRINT_ERRORS, "BLUEPRINT_PROBLEMS_TOO_MANY", { more }, last.diagnostic.where);
      return [...sorted.map(({ diagnostic }) => diagnostic), rest];
    },
  };
}
