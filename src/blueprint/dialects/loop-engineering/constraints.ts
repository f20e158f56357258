/** `loop-constraints.md`: rules in plain words that bind every run. They are handed to whoever works, as they stand there. */
import { pageLines } from "./page-lines.ts";

export interface Constraint {
  readonly text: string;
  readonly line: number;
}

const POINT = /^\s{0,40}(?:[-*+]|\d{1,4}[.)])\s{1,8}(?:\[[ xX]\]\s{1,8})?(?=\S)/;
const BELOW = /^(?: {2}|\t)/;

/** One for each point of a list, with what is indented below it. What is in comments and code is an example. */
export function parseConstraints(text: string): readonly Constraint[] {
  const found: { text: string; line: number }[] = [];
  let isOpen = false;
  for (const { shown, number } of pageLines(text)) {
    const mark = POINT.exec(shown)?.[0];
    const last = found.at(-1);
    if (mark !== undefined) found.push({ text: shown.slice(mark.length).trim(), line: number });
    else if (isOpen && last !== undefined && BELOW.test(shown)) last.text = `${last.text} ${shown.trim()}`.trim();
    isOpen = mark !== undefined || (isOpen && BELOW.test(shown) && shown.trim() !== "");
  }
  return found;
}
