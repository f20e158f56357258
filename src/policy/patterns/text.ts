/** Text with `*` in it. Every match takes time linear in the length of pattern and text. */
import { alternatives } from "../../base/match/glob.ts";

const MOST_ALTERNATIVES = 64;
const BRACES = `has braces that are not closed, or give more than ${MOST_ALTERNATIVES} alternatives`;
const CHOICE = /\{[^{}]*,[^{}]*\}/;
/** What a shell may read as more than a character of a word, or of the space between two. */
const MEANS_SOMETHING = /[^\w.,:@%+=/ -]/g;

export type TextTest = (text: string) => boolean;

/** `*` stands for any characters, none included, `{a,b}` for either; everything else for itself, and the whole for itself too. */
export function compileText(pattern: string): TextTest {
  const tests = expandText(pattern).map(compileOne);
  const [first, ...others] = tests as [TextTest];
  return others.length === 0 ? first : (text) => tests.some((test) => test(text));
}

/** The text itself, and once for each choice inside `{a,b}`. Throws when the choices cannot be told: see `textProblem`. */
export function expandText(pattern: string): readonly string[] {
  if (!CHOICE.test(pattern)) return [pattern];
  const choices = alternatives(pattern, MOST_ALTERNATIVES);
  if (choices === undefined) throw new RangeError(`${JSON.stringify(pattern)} ${BRACES}`);
  return [...new Set([pattern, ...choices])];
}

/** Why the text is no pattern, or undefined. */
export function textProblem(pattern: string): string | undefined {
  return CHOICE.test(pattern) && alternatives(pattern, MOST_ALTERNATIVES) === undefined ? BRACES : undefined;
}

function compileOne(pattern: string): TextTest {
  if (!pattern.includes("*")) return (text) => text === pattern;
  if (pattern === "*") return () => true;
  return (text) => matchesGlob(pattern, text);
}

/** As `matchesGlob`, but `*` stands only for characters that mean nothing to a shell. */
export function matchesInert(pattern: string, text: string): boolean {
  // Such characters of the text can only be meant by the same ones of the pattern, so both fall apart at the same places.
  const marks = (from: string): string[] => from.replaceAll("*", "").match(MEANS_SOMETHING) ?? [];
  const written = pattern.split(/[^*\w.,:@%+=/ -]/);
  const found = text.split(MEANS_SOMETHING);
  const wanted = marks(pattern);
  const given = text.match(MEANS_SOMETHING) ?? [];
  return (
    wanted.length === given.length &&
    wanted.every((mark, index) => mark === given[index]) &&
    written.every((piece, index) => matchesGlob(piece, found[index] as string))
  );
}

/** `*` stands for any characters, none included; everything else for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = find(text, piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.length - tail.length >= from && text.endsWith(tail);
}

/** The first place of `piece` at or after `from`, by Knuth, Morris and Pratt: `indexOf` can be made to take quadratic time. */
function find(text: string, piece: string, from: number): number {
  if (piece === "") return from;
  const borders = bordersOf(piece);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    matched = extend(piece, borders, matched, text[at] as string);
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix of the piece: how long a shorter prefix it also ends with. */
function bordersOf(piece: string): number[] {
  const borders = [0];
  for (let at = 1; at < piece.length; at += 1) {
    borders.push(extend(piece, borders, borders[at - 1] as number, piece[at] as string));
  }
  return borders;
}

function extend(piece: string, borders: readonly number[], matched: number, next: string): number {
  let length = matched;
  while (length > 0 && piece[length] !== next) length = borders[length - 1] as number;
  return piece[length] === next ? length + 1 : length;
}
