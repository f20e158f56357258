/** What a drill knows of a language: how its tests are made worthless and its code wrong. Every function gives null where it finds nothing. */

export type Edit = (text: string) => string | null;

/** `choose` picks one of so many places. */
export type Mutation = (text: string, choose: (count: number) => number) => string | null;

export interface Language {
  readonly isTest: (path: string) => boolean;
  readonly skip: Edit;
  readonly weaken: Edit;
  /** The process ends well before anything was tested. */
  readonly exitZero: Edit;
  /** By what is done. */
  readonly mutations: Readonly<Record<string, Mutation>>;
  /** What begins a comment. */
  readonly mark: string;
  /** The text of a file that nobody uses, beside this one. */
  unused(text: string): string;
}

/** null: nothing was changed. */
export function changed(before: string, after: string): string | null {
  return before === after ? null : after;
}

/** Changes one of the lines that `edit` can change. */
export function oneLine(edit: Edit): Mutation {
  return (text, choose) => {
    const lines = text.split("\n");
    const places = lines.flatMap((line, at) => {
      const wrong = edit(line);
      return wrong === null ? [] : [{ at, wrong }];
    });
    const place = places[choose(places.length)];
    return place === undefined ? null : lines.with(place.at, place.wrong).join("\n");
  };
}

/** A line that is one statement of code, whole, and holds no text. */
export function isCode(line: string): boolean {
  return !/^\s*(?:\/\/|\/?\*|#|import\b|from\b|use\b|package\b|type\b|interface\b)|["'`]/.test(line) && isClosed(line);
}

/** Every bracket that is opened is closed. */
export function isClosed(line: string): boolean {
  const count = (marks: RegExp): number => line.match(marks)?.length ?? 0;
  return count(/[([]/g) === count(/[)\]]/g);
}

const SWAPS: readonly (readonly [string, string])[] = [
  [" === ", " !== "],
  [" !== ", " === "],
  [" == ", " != "],
  [" != ", " == "],
  [" <= ", " > "],
  [" >= ", " < "],
  [" < ", " >= "],
  [" > ", " <= "],
  [" + ", " - "],
  [" - ", " + "],
  [" * ", " + "],
  [" / ", " * "],
  [" && ", " || "],
  [" || ", " && "],
  [" and ", " or "],
  [" or ", " and "],
];

/** The first operator of a line becomes another. */
export const swapOperator: Mutation = oneLine((line) => {
  const swap = isCode(line) ? SWAPS.find(([from]) => line.includes(from)) : undefined;
  return swap === undefined ? null : line.replace(swap[0], swap[1]);
});
