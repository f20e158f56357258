/** A unified diff, as `git diff` or `diff -u` writes it, read into what it does to each file. Pure. */
import { ToolProblem } from "../tool-problem.ts";
import { placeOf } from "./place.ts";

/** A line with its line end, if it has one. */
export interface PatchLine {
  readonly kind: " " | "+" | "-";
  readonly text: string;
}

export interface Hunk {
  /** Line of the old file at which it begins, counted from 1; 0: the file is new. */
  readonly at: number;
  readonly lines: readonly PatchLine[];
}

export interface FilePatch {
  /** null: the file is new. */
  readonly from: string | null;
  /** null: the file goes. */
  readonly to: string | null;
  readonly hunks: readonly Hunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** What would be more than the text of files. */
const REFUSED = /^(?:GIT binary patch|Binary files |copy from |copy to |new mode |(?:new|deleted) file mode 1[26]0000)/;
const MOST_LINES = 200_000;

interface Reader {
  readonly lines: readonly string[];
  readonly files: FilePatch[];
  at: number;
  renamedFrom: string | null;
}

/** Throws for a text that is no patch, or that does more than change the text of files. */
export function readPatch(text: string): readonly FilePatch[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length > MOST_LINES) throw new ToolProblem("the patch is too long");
  const reader: Reader = { lines, files: [], at: 0, renamedFrom: null };
  while (reader.at < lines.length) readPart(reader);
  if (reader.files.length === 0) throw new ToolProblem("it is no patch: it has no line that begins with ---");
  return reader.files;
}

function readPart(reader: Reader): void {
  const { lines, at } = reader;
  const line = lines[at] as string;
  if (REFUSED.test(line)) throw new ToolProblem(`line ${at + 1} of the patch is not about text: ${line.slice(0, 60)}`);
  if (line.startsWith("@@ ")) throw new ToolProblem(`line ${at + 1} of the patch belongs to no file`);
  if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) readFile(reader);
  else {
    readRename(reader, line);
    reader.at += 1;
  }
}

function readRename(reader: Reader, line: string): void {
  const from = /^rename from (.+)$/.exec(line)?.[1];
  const to = /^rename to (.+)$/.exec(line)?.[1];
  if (from !== undefined) reader.renamedFrom = placeOf(from);
  if (to === undefined || reader.renamedFrom === null) return;
  if (!hasText(reader.lines, reader.at)) reader.files.push({ from: reader.renamedFrom, to: placeOf(to), hunks: [] });
  reader.renamedFrom = null;
}

/** Whether a renamed file has also lines that change. */
function hasText(lines: readonly string[], from: number): boolean {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (line.startsWith("diff --git ")) return false;
    if (line.startsWith("--- ")) return true;
  }
  return false;
}

function readFile(reader: Reader): void {
  const { lines, at } = reader;
  const from = pathOf((lines[at] as string).slice(4), "a/");
  const to = pathOf((lines[at + 1] as string).slice(4), "b/");
  if (from === null && to === null) throw new ToolProblem(`line ${at + 1} of the patch names no file`);
  const hunks: Hunk[] = [];
  reader.at += 2;
  for (let hunk = readHunk(reader); hunk !== undefined; hunk = readHunk(reader)) hunks.push(hunk);
  if (hunks.length === 0) throw new ToolProblem(`line ${reader.at + 1} of the patch should begin with @@`);
  reader.files.push({ from, to, hunks });
}

function pathOf(written: string, prefix: string): string | null {
  const path = written.split("\t")[0] as string;
  if (path === "/dev/null") return null;
  if (path.startsWith('"'))
    throw new ToolProblem(`the patch quotes a path, which is not supported: ${path.slice(0, 100)}`);
  return placeOf(path.startsWith(prefix) ? path.slice(prefix.length) : path);
}

function readHunk(reader: Reader): Hunk | undefined {
  const first = reader.at;
  const found = HUNK.exec(reader.lines[first] ?? "");
  if (found === null) return undefined;
  const [, start, oldCount = "1", newCount = "1"] = found;
  const left = { old: Number(oldCount), fresh: Number(newCount) };
  const read: PatchLine[] = [];
  reader.at += 1;
  while (left.old > 0 || left.fresh > 0) {
    const line = readLine(reader);
    if (line.kind !== "+") left.old -= 1;
    if (line.kind !== "-") left.fresh -= 1;
    read.push(line);
  }
  if (left.old < 0 || left.fresh < 0) throw new ToolProblem(`the counts in line ${first + 1} of the patch do not fit`);
  return { at: Number(start), lines: read };
}

function readLine(reader: Reader): PatchLine {
  const { lines, at } = reader;
  const line = lines[at];
  // An empty line of context is often written without its blank.
  const kind = line === "" ? " " : line?.[0];
  if (line === undefined || (kind !== " " && kind !== "+" && kind !== "-"))
    throw new ToolProblem(`line ${at + 1} of the patch should begin with a blank, + or -`);
  const hasEnd = lines[at + 1]?.startsWith("\\ ") !== true;
  reader.at += hasEnd ? 1 : 2;
  return { kind, text: hasEnd ? `${line.slice(1)}\n` : line.slice(1) };
}

/** The text with the hunks applied. Throws when one does not fit exactly; it may have moved. */
export function patched(before: string, hunks: readonly Hunk[], place: string): string {
  const old = linesOf(before);
  const result: string[] = [];
  const search = { left: MOST_COMPARED, place };
  let done = 0;
  for (const hunk of hunks) {
    const wanted = hunk.lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
    const at = find(old, wanted, Math.max(hunk.at - 1, 0) + (wanted.length === 0 && hunk.at > 0 ? 1 : 0), done, search);
    if (at === undefined) throw new ToolProblem(`the patch does not fit ${place} at line ${hunk.at}`);
    // As texts, not as arguments: a file may have more lines than a call can have arguments.
    result.push(old.slice(done, at).join(""));
    const made = hunk.lines.filter(({ kind }) => kind !== "-");
    result.push(made.map(({ text }) => text).join(""));
    done = at + wanted.length;
  }
  return result.join("") + old.slice(done).join("");
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines that are compared for all hunks of a file; where each hunk fits at once, these are as many as the patch has. */
const MOST_COMPARED = 20_000_000;

interface Search {
  readonly place: string;
  /** Lines that may still be compared. */
  left: number;
}

/** The place nearest to where it should be. Throws when that takes too long: a patch may be made so that it nearly fits everywhere. */
function find(
  old: readonly string[],
  wanted: readonly string[],
  expected: number,
  from: number,
  search: Search,
): number | undefined {
  const isSame = (line: string, other: string | undefined): boolean => {
    search.left -= 1;
    return line === other;
  };
  const fits = (at: number): boolean => {
    search.left -= 1;
    if (search.left < 0) throw new ToolProblem(`it takes too long to find where the patch fits ${search.place}`);
    if (at < from || at + wanted.length > old.length) return false;
    return wanted.every((line, index) => isSame(line, old[at + index]));
  };
  for (let off = 0; off <= old.length; off += 1) {
    if (fits(expected - off)) return expected - off;
    if (fits(expected + off)) return expected + off;
  }
  return undefined;
}
