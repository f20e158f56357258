/** The tables of a markdown text, with the place of every cell. What a reader of the page does not see is not read. */
import type { Range } from "../text/source.ts";

export interface TableCell extends Range {
  /** Without marks of emphasis and code. */
  readonly text: string;
}

export interface MarkdownTable extends Range {
  readonly head: readonly TableCell[];
  readonly rows: readonly (readonly TableCell[])[];
}

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const DELIMITER = /^:?-+:?$/;
const SEPARATOR = /(?<!\\)\|/g;
const LINK = /\[([^\][]{0,200})\]\([^()]{0,500}\)/g;

interface Line {
  readonly text: string;
  readonly start: number;
}

export function tablesOf(text: string): readonly MarkdownTable[] {
  const lines = visibleLines(text);
  const tables: MarkdownTable[] = [];
  for (let at = 0; at + 1 < lines.length; at += 1) {
    const [line, next] = [lines[at] as Line, lines[at + 1] as Line];
    const head = isRow(line) && isDelimiter(next) ? cellsOf(line) : [];
    if (head.length === 0 || head.length !== cellsOf(next).length) continue;
    const rows: (readonly TableCell[])[] = [];
    at += 2;
    for (; at < lines.length && isRow(lines[at] as Line); at += 1) rows.push(cellsOf(lines[at] as Line));
    tables.push({ head, rows, start: line.start, end: line.start + line.text.length });
  }
  return tables;
}

function isRow({ text }: Line): boolean {
  return text.includes("|");
}

function isDelimiter(line: Line): boolean {
  return isRow(line) && cellsOf(line).every(({ text }) => DELIMITER.test(text));
}

/** Lines at their places; comments are blank, and so is code in fences. */
function visibleLines(text: string): readonly Line[] {
  const shown = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, " "));
  let start = 0;
  let fence: string | null = null;
  return shown.split("\n").map((line): Line => {
    const at = start;
    start += line.length + 1;
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && mark === undefined) return { text: line, start: at };
    if (fence === null) fence = mark as string;
    else if (mark?.startsWith(fence)) fence = null;
    return { text: "", start: at };
  });
}

/** The line between its bars; a bar at either end is no border of two cells. */
function cellsOf({ text, start }: Line): readonly TableCell[] {
  const body = text.trim();
  const from = start + text.indexOf(body);
  const bars = [...body.matchAll(SEPARATOR)].map(({ index }) => index);
  const borders = [...(bars[0] === 0 ? [] : [-1]), ...bars, ...(bars.at(-1) === body.length - 1 ? [] : [body.length])];
  return borders.slice(1).map((end, index) => {
    const begin = (borders[index] as number) + 1;
    const raw = body.slice(begin, end);
    const lead = raw.length - raw.trimStart().length;
    const written = raw.trim();
    const cell = from + begin + (written === "" ? 0 : lead);
    return { text: plain(written), start: cell, end: cell + Math.max(1, written.length) };
  });
}

function plain(written: string): string {
  return written.replace(LINK, "$1").replace(/\\\|/g, "|").replace(/[*`]/g, "").replace(/\s+/g, " ").trim();
}
