/**
 * ShownChange: everything that changes, as a person is shown it before allowing it. Every path with its modes, links,
 * submodules and lines; what cannot be seen is made visible; what cannot be shown makes the whole incomplete.
 */
import { visible } from "../../base/visible.ts";
import { type PatchHunk, type PatchLine, type PatchSection, readPatch } from "./read-patch.ts";

/** As a comparison of two trees tells it. */
export interface Change {
  readonly files: readonly ChangedPath[];
  readonly patch: Uint8Array;
  readonly truncated: boolean;
}

export interface ChangedPath {
  readonly status: string;
  readonly path: string;
  readonly oldPath?: string;
  readonly oldMode: string;
  readonly newMode: string;
}

/** What a person should look at twice. */
export type ShownFlag = "name" | "hidden" | "binary" | "mode" | "link" | "submodule" | "renamed" | "long_line";

export interface ShownHunk {
  readonly head: string;
  /** Each with its mark: a space, `+`, `-` or `\`. */
  readonly lines: readonly string[];
}

export interface ShownFile {
  readonly status: string;
  /** Names with everything in them that cannot be seen made visible. */
  readonly path: string;
  readonly oldPath: string | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly flags: readonly ShownFlag[];
  /** Where a link led and leads; null: it was or is none. */
  readonly link: Pair | null;
  /** The commits of a submodule. */
  readonly submodule: Pair | null;
  /** Bytes that go and come; a person cannot read them. */
  readonly binary: { readonly removed: number; readonly added: number } | null;
  readonly hunks: readonly ShownHunk[];
}

export interface Pair {
  readonly from: string | null;
  readonly to: string | null;
}

export interface ShownChange {
  readonly files: readonly ShownFile[];
  /** Paths that differ, as git counts them. */
  readonly entries: number;
  readonly added: number;
  readonly removed: number;
  /** false: something of it cannot be shown, and `reasons` says what. Nobody may allow it then. */
  readonly complete: boolean;
  readonly reasons: readonly string[];
}

/** More than this nobody reads. */
export const MOST_SHOWN_BYTES: number = 8 << 20;
const LONG_LINE = 1000;
const LINK = "120000";
const SUBMODULE = "160000";
const NOTHING = "000000";
const EMPTY =
  /^(?:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391|473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813)$/;
/** Blanks that are no space, characters of private use, and those that no standard knows: all look like something else. */
const BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\p{Co}\p{Cn}]/gu;

export function shownChange({ files, patch, truncated }: Change, mostBytes: number = MOST_SHOWN_BYTES): ShownChange {
  const reasons: string[] = [];
  if (truncated) reasons.push("the patch is longer than what could be read");
  else if (patch.length > mostBytes) reasons.push(`the patch has ${patch.length} bytes, and ${mostBytes} can be shown`);
  const sections = reasons.length > 0 ? null : sectionsOf(files, patch);
  if (reasons.length === 0 && sections === null) reasons.push("the patch does not fit the list of changed files");
  const shown = files.map((file, index) => showFile(file, sections?.[index] ?? [], reasons));
  const lines = shown.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  return {
    files: shown,
    entries: files.length,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    complete: reasons.length === 0,
    reasons: [...new Set(reasons)],
  };
}

/** The sections of each file, in order; null: one of them does not fit. */
function sectionsOf(files: readonly ChangedPath[], patch: Uint8Array): readonly (readonly PatchSection[])[] | null {
  const sections = readPatch(patch);
  if (sections === null) return null;
  let at = 0;
  const found: (readonly PatchSection[])[] = [];
  for (const file of files) {
    // What becomes another thing goes as one and comes as the other.
    const own = sections.slice(at, at + (file.status === "type_changed" ? 2 : 1));
    at += own.length;
    const modes = own.map(modesOf);
    const [from, to] = [modes[0]?.from ?? file.oldMode, modes.at(-1)?.to ?? file.newMode];
    if (own.length === 0 || from !== file.oldMode || to !== file.newMode) return null;
    found.push(own);
  }
  return at === sections.length ? found : null;
}

/** The modes that the head of a section names; null: it names none, or not this one. */
function modesOf({ head }: PatchSection): Pair {
  const of = (start: string): string | null =>
    head.find((line) => line.startsWith(start))?.slice(start.length, start.length + NOTHING.length) ?? null;
  const index = head.map((line) => / (\d{6})$/.exec(line.startsWith("index ") ? line : "")?.[1]).find(Boolean) ?? null;
  const [added, deleted] = [of("new file mode "), of("deleted file mode ")];
  if (added !== null) return { from: NOTHING, to: added };
  if (deleted !== null) return { from: deleted, to: NOTHING };
  return { from: of("old mode ") ?? index, to: of("new mode ") ?? index };
}

function showFile(file: ChangedPath, sections: readonly PatchSection[], reasons: string[]): ShownFile {
  const { status, oldMode, newMode } = file;
  const [path, oldPath] = [clear(file.path), file.oldPath === undefined ? null : clear(file.oldPath)];
  const names = [file.path, file.oldPath ?? ""];
  if (names.some((name) => name.includes("\ufffd"))) reasons.push(`the name of ${path} cannot be read`);
  const hunks = sections.flatMap((section) => section.hunks);
  const texts = readHunks(hunks);
  const bytes = texts.binary ? sizesOf(hunks) : null;
  if (texts.hunks === null && bytes === null) reasons.push(`${path} is not UTF-8 and cannot be read as text`);
  if (sections.some((section) => isSilent(section))) reasons.push(`no line of ${path} is shown`);
  const kinds = new Set([oldMode, newMode]);
  const flags: readonly (readonly [ShownFlag, boolean])[] = [
    ["name", path !== file.path || (oldPath !== null && oldPath !== file.oldPath)],
    ["hidden", texts.hidden],
    ["binary", texts.binary],
    ["mode", oldMode !== newMode && oldMode !== NOTHING && newMode !== NOTHING],
    ["link", kinds.has(LINK)],
    ["submodule", kinds.has(SUBMODULE)],
    ["renamed", oldPath !== null],
    ["long_line", texts.long],
  ];
  const sides = (mode: string, strip: RegExp): Pair | null =>
    kinds.has(mode)
      ? { from: side(sections, "-", oldMode === mode, strip), to: side(sections, "+", newMode === mode, strip) }
      : null;
  return {
    ...{ status, path, oldPath, oldMode, newMode, binary: bytes },
    flags: flags.filter(([, isSet]) => isSet).map(([flag]) => flag),
    link: sides(LINK, /^/),
    submodule: sides(SUBMODULE, /^Subproject commit /),
    hunks: texts.hunks ?? [],
  };
}

/** Something changed in it and nothing is shown: neither an empty file, nor only its name or mode. */
function isSilent({ head, hunks }: PatchSection): boolean {
  if (hunks.length > 0) return false;
  const ids = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/.exec(head.find((line) => line.startsWith("index ")) ?? "");
  return ids !== null && !ids.slice(1).some((id) => EMPTY.test(id));
}

interface Texts {
  /** null: not all of it is UTF-8. */
  readonly hunks: readonly ShownHunk[] | null;
  readonly binary: boolean;
  readonly hidden: boolean;
  readonly long: boolean;
}

function readHunks(hunks: readonly PatchHunk[]): Texts {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const binary = lines.some(({ bytes }) => bytes.includes(0));
  const long = lines.some(({ bytes }) => bytes.length > LONG_LINE);
  const read = hunks.map((hunk) => ({
    head: decode(hunk.head),
    lines: hunk.lines.map(({ mark, bytes }) => ({ mark, text: decode(bytes) })),
  }));
  const texts = read.flatMap((hunk) => [hunk.head, ...hunk.lines.map(({ text }) => text)]);
  if (texts.includes(null)) return { hunks: null, binary, hidden: false, long };
  const hidden = texts.some((text) => clear(text as string) !== text);
  const shown = read.map((hunk) => ({
    head: clear(hunk.head as string),
    lines: hunk.lines.map(({ mark, text }) => mark + clear(text as string)),
  }));
  return { hunks: shown, binary, hidden, long };
}

/** A byte order mark is content too. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** One line with all that cannot be seen as an escape; a tab stays a tab. */
function clear(text: string): string {
  return visible(text, { newlines: true })
    .replaceAll("\n", "\\n")
    .replace(BLANK, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}

function sizesOf(hunks: readonly PatchHunk[]): NonNullable<ShownFile["binary"]> {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  // A line that ends the file without a line end is followed by a remark that says so.
  const sizeAt = ({ bytes }: PatchLine, index: number): number =>
    bytes.length + (lines[index + 1]?.mark === "\\" ? 0 : 1);
  const sum = (mark: PatchLine["mark"]): number =>
    lines.reduce((total, line, index) => total + (line.mark === mark ? sizeAt(line, index) : 0), 0);
  return { removed: sum("-"), added: sum("+") };
}

/** What stands on one side of the section that is about a link or a submodule; such content is one line as a rule. */
function side(sections: readonly PatchSection[], mark: "+" | "-", isThere: boolean, strip: RegExp): string | null {
  if (!isThere) return null;
  // Of two sections the first takes away and the second adds.
  const section = mark === "-" ? sections[0] : sections.at(-1);
  const lines = (section?.hunks ?? []).flatMap((hunk) => hunk.lines).filter((line) => line.mark === mark);
  if (lines.length === 0) return null;
  return lines.map(({ bytes }) => clear(decode(bytes) ?? "\ufffd").replace(strip, "")).join("\\n");
}
