/** A patch as git writes it → its sections. Lines are counted, so nothing that a file holds can look like the end of it. */

/** Bytes of one line of a hunk, without its mark and its line end. */
export interface PatchLine {
  readonly mark: " " | "+" | "-" | "\\";
  readonly bytes: Uint8Array;
}

export interface PatchHunk {
  readonly head: Uint8Array;
  readonly lines: readonly PatchLine[];
}

/** One `diff --git`: a file that changes its type has two. */
export interface PatchSection {
  /** Lines before the first hunk, as text. */
  readonly head: readonly string[];
  readonly hunks: readonly PatchHunk[];
}

/** null: it is no whole patch. */
export function readPatch(patch: Uint8Array): readonly PatchSection[] | null {
  const lines = splitLines(patch);
  const sections: PatchSection[] = [];
  for (let at = 0; at < lines.length; ) {
    const section = readSection(lines, at);
    if (section === null) return null;
    sections.push(section.value);
    at = section.next;
  }
  return sections;
}

interface Read<T> {
  readonly value: T;
  readonly next: number;
}

const ascii = new TextDecoder("latin1");
const NEWLINE = 0x0a;

function splitLines(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, from);
    if (end < 0) return [...lines, bytes.subarray(from)];
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

function textAt(lines: readonly Uint8Array[], at: number): string {
  const line = lines[at];
  return line === undefined ? "" : ascii.decode(line);
}

function readSection(lines: readonly Uint8Array[], from: number): Read<PatchSection> | null {
  if (!textAt(lines, from).startsWith("diff --git ")) return null;
  const head: string[] = [];
  let at = from + 1;
  for (; at < lines.length && !/^(?:@@ |diff --git )/.test(textAt(lines, at)); at += 1) head.push(textAt(lines, at));
  const hunks: PatchHunk[] = [];
  while (textAt(lines, at).startsWith("@@ ")) {
    const hunk = readHunk(lines, at);
    if (hunk === null) return null;
    hunks.push(hunk.value);
    at = hunk.next;
  }
  return { value: { head, hunks }, next: at };
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** Lines that each mark takes from the old and the new side. */
const TAKES = { " ": [1, 1], "-": [1, 0], "+": [0, 1], "\\": [0, 0] } as const;

function readHunk(lines: readonly Uint8Array[], from: number): Read<PatchHunk> | null {
  const head = lines[from] as Uint8Array;
  const counts = HUNK.exec(ascii.decode(head));
  if (counts === null) return null;
  const left = { old: Number(counts[1] ?? 1), fresh: Number(counts[2] ?? 1) };
  const found: PatchLine[] = [];
  let at = from + 1;
  for (; at < lines.length; at += 1) {
    const line = readLine(lines[at] as Uint8Array);
    if (left.old === 0 && left.fresh === 0 && line?.mark !== "\\") break;
    if (line === null) return null;
    const [old, fresh] = TAKES[line.mark];
    left.old -= old;
    left.fresh -= fresh;
    found.push(line);
  }
  return left.old === 0 && left.fresh === 0 ? { value: { head, lines: found }, next: at } : null;
}

function readLine(line: Uint8Array): PatchLine | null {
  const mark = String.fromCharCode(line[0] ?? 0);
  return isMark(mark) ? { mark, bytes: line.subarray(1) } : null;
}

function isMark(text: string): text is PatchLine["mark"] {
  return Object.hasOwn(TAKES, text);
}
