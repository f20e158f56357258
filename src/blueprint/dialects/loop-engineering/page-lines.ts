/** The lines of a markdown page at their places, each with what a reader of the page sees of it. Every character belongs to one line. */
import type { Range } from "../../text/source.ts";

export interface PageLine extends Range {
  /** Counts from 1. `start` and `end` are without the line break. */
  readonly number: number;
  /** Where the next line begins. */
  readonly next: number;
  /** As long as the line: comments are blank, and so is code in fences. */
  readonly shown: string;
  /** Whether the next line begins within a comment or code. */
  readonly hidesNext: boolean;
}

const BREAK = /\r\n|\n|\r/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const OPENING = "<!--";
const COMMENT = /<!--[\s\S]*?(-->|$)/g;
const MARK = "\uFEFF";

/** What the lines so far have left open. */
interface Hiding {
  readonly fence: string | null;
  readonly isComment: boolean;
}

export function pageLines(text: string): readonly PageLine[] {
  const breaks = [...text.matchAll(BREAK)].map(({ 0: found, index }) => ({ end: index, next: index + found.length }));
  let hiding: Hiding = { fence: null, isComment: false };
  let start = text.startsWith(MARK) ? MARK.length : 0;
  return [...breaks, { end: text.length, next: text.length }].map(({ end, next }, index) => {
    const { shown, ...after } = look(text.slice(start, end), hiding);
    const line = { number: index + 1, start, end, next, shown, hidesNext: after.fence !== null || after.isComment };
    hiding = after;
    start = next;
    return line;
  });
}

/** The line break that stands before this place, else the first one of the text. */
export function breakAt(text: string, at: number): string {
  const before = /(?:\r\n|\n|\r)$/.exec(text.slice(Math.max(0, at - 2), at));
  return before?.[0] ?? /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/**
 * Removes whole lines. Removes nothing between a lone `\r` and a `\n`: the two would become one line break, and the empty line that
 * the `\n` ends would be lost.
 */
export function withoutLines(text: string, start: number, next: number): string {
  const joins = text[start - 1] === "\r" && text[next] === "\n";
  return joins ? text : `${text.slice(0, start)}${text.slice(next)}`;
}

function look(line: string, { fence, isComment }: Hiding): Hiding & { readonly shown: string } {
  const blank = " ".repeat(line.length);
  if (fence !== null) return { shown: blank, fence: closes(line, fence) ? null : fence, isComment: false };
  const { shown, isOpen } = withoutComments(line, isComment);
  const opening = openingOf(shown);
  return opening === null
    ? { shown, fence: null, isComment: isOpen }
    : { shown: blank, fence: opening, isComment: false };
}

function openingOf(shown: string): string | null {
  const [, marks, rest] = FENCE.exec(shown) ?? [];
  return marks === undefined || (rest as string).includes("`") ? null : marks;
}

function closes(line: string, fence: string): boolean {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  return marks.startsWith(fence) && rest.trim() === "";
}

/** The line with blanks for what is in a comment, and whether a comment goes on after it. */
function withoutComments(line: string, isOpen: boolean): { readonly shown: string; readonly isOpen: boolean } {
  let goesOn = false;
  const whole = isOpen ? `${OPENING}${line}` : line;
  const shown = whole.replace(COMMENT, (comment, closing: string) => {
    goesOn = closing === "";
    return " ".repeat(comment.length);
  });
  return { shown: isOpen ? shown.slice(OPENING.length) : shown, isOpen: goesOn };
}
