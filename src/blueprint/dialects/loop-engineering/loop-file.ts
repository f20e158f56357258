/** `LOOP.md`: how loops of a project are run, for people. What it says of a level can lower one, and never raise it. */
import type { Cadence } from "../../../limits/cost/estimate.ts";
import type { Level } from "../../blueprint.ts";
import { createSource } from "../../text/source.ts";
import { tablesOf } from "../markdown-table.ts";
import { type PageLine, pageLines } from "./page-lines.ts";
import { slugOf } from "./slug.ts";
import { headingOf, sectionsOf } from "./state-file.ts";
import { fieldOf } from "./state-item.ts";

export interface LoopEntry {
  /** As people call it. */
  readonly name: string;
  /** null: it says none. */
  readonly level: Level | null;
  /** What stands beside the level. */
  readonly status: string;
  readonly cadence: LoopCadence | null;
  readonly skill: string | null;
  /** The file that its state is in. */
  readonly state: string | null;
  readonly phase: string | null;
  readonly handoff: string | null;
  readonly starter: string | null;
  readonly command: string | null;
  readonly line: number;
}

export interface LoopCadence extends Cadence {
  readonly written: string;
  readonly line: number;
}

export interface LoopFile {
  readonly loops: readonly LoopEntry[];
  /** Most attempts for one item; null: it says nothing. */
  readonly maxAttempts: number | null;
  /** Whether changes may be merged without a person; null: it says nothing. */
  readonly autoMerge: boolean | null;
  readonly humanGates: readonly string[];
  /** Titles of the second level. */
  readonly sections: readonly string[];
}

const LEVEL = /^[*`]{0,2}(L[0-3])\b/i;
const NAMED = /^(.{1,200}?)\s{1,8}\(([^()]{1,200})\)/;
const SPAN = /(?<![\w.])(\d{1,5})\s?(m|h|d|w)(?:in(?:utes?)?|ours?|ays?|eeks?)?(?![a-z])/i;
const RANGE = /(?<![\w.])(\d{1,5})\s?(m|h|d|w)?\s?[-–—]\s?(\d{1,5})\s?(m|h|d|w)(?![a-z])/i;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const ATTEMPTS = /^max (?:fix )?attempts\b[^:]{0,80}:\s{0,8}[*`]{0,2}(\d{1,4})\b/i;
const MERGES = /^auto-merge\b[^:]{0,80}:\s{0,8}[*`]{0,2}(\w+)/i;
const LONGEST_LINE = 4000;

export function parseLoopFile(text: string): LoopFile {
  const lines = pageLines(text);
  const sections = sectionsOf(lines);
  const bodyOf = (title: RegExp): readonly PageLine[] =>
    sections.filter((section) => title.test(section.title)).flatMap(({ body }) => body);
  const limits = bodyOf(/^limits/i).map(pointText);
  const attempts = limits.map((limit) => ATTEMPTS.exec(limit)?.[1]).find((found) => found !== undefined);
  const merges = limits.map((limit) => MERGES.exec(limit)?.[1]).find((found) => found !== undefined);
  return {
    loops: [...loopsOfHeadings(bodyOf(/^active loops/i)), ...loopsOfTables(text)],
    maxAttempts: attempts === undefined ? null : Number(attempts),
    autoMerge: merges === undefined ? null : /^(?:enabled|on|yes|true|allowed)$/i.test(merges),
    humanGates: bodyOf(/^human gates/i).flatMap((line) => pointText(line) || []),
    sections: sections.map(({ title }) => title),
  };
}

/** The level of a run that was asked for `asked`: what `LOOP.md` says of its loop is a ceiling. Levels are named so that they sort. */
export function levelUnder(asked: Level, loop: Pick<LoopEntry, "level"> | null): Level {
  return loop?.level != null && loop.level < asked ? loop.level : asked;
}

/** The loop that goes by this id or name. Of one that stands there more than once the lowest level counts. */
export function findLoop({ loops }: LoopFile, ...names: readonly string[]): LoopEntry | null {
  const wanted = names.map(slugOf);
  const [first, ...more] = loops.filter(({ name }) => wanted.includes(slugOf(name)));
  if (first === undefined) return null;
  const level = more.reduce<Level | null>(
    (lowest, entry) => (lowest === null ? entry.level : levelUnder(lowest, entry)),
    first.level,
  );
  return { ...first, level };
}

function pointText({ shown }: PageLine): string {
  return /^\s{0,3}[-*+]\s+(.*)$/.exec(shown.slice(0, LONGEST_LINE))?.[1]?.trim() ?? "";
}

/** `### Name (L1 — words)` with points such as `- Cadence: 1d`. */
function loopsOfHeadings(body: readonly PageLine[]): readonly LoopEntry[] {
  const starts = body.flatMap((line, at) => (headingOf(line)?.depth === 3 ? [at] : []));
  return starts.map((start, index) => {
    const own = body.slice(start, starts[index + 1]);
    const first = own[0] as PageLine;
    const title = headingOf(first)?.title.slice(0, LONGEST_LINE) as string;
    const [, name = title, status = ""] = NAMED.exec(title) ?? [];
    const fields = own.slice(1).flatMap((line) => {
      const found = fieldOf(line);
      return found === null ? [] : [{ ...found, value: line.shown.slice(found.from, found.to), line: line.number }];
    });
    const given = (name: string) => fields.find((field) => field.name.toLowerCase() === name);
    const cadence = given("cadence");
    return {
      name: unmarked(name),
      ...levelOf(status),
      cadence: cadence === undefined ? null : cadenceOf(cadence.value, cadence.line),
      skill: firstCode(given("skill")?.value),
      state: firstCode(given("state")?.value),
      phase: given("phase")?.value ?? null,
      handoff: given("handoff")?.value ?? null,
      starter: firstCode(given("starter")?.value),
      command: null,
      line: first.number,
    };
  });
}

/** `| Pattern | Cadence | Status | Command |`, wherever it stands. */
function loopsOfTables(text: string): readonly LoopEntry[] {
  const source = createSource(text, "");
  return tablesOf(text).flatMap(({ head, rows }) => {
    const titles = head.map((cell) => cell.text.toLowerCase());
    const at = (...names: readonly string[]): number => titles.findIndex((title) => names.includes(title));
    const columns = { name: at("pattern", "loop"), cadence: at("cadence"), status: at("status", "level") };
    if (columns.name !== 0 || columns.cadence === -1) return [];
    return rows.flatMap((row) => {
      const cell = (column: number): string => row[column]?.text ?? "";
      if (cell(0) === "") return [];
      const line = source.span(row[0] as { start: number; end: number }).line;
      return [
        {
          name: cell(0),
          ...levelOf(cell(columns.status)),
          cadence: cadenceOf(cell(columns.cadence), line),
          ...{ skill: null, state: null, phase: null, handoff: null, starter: null },
          command: cell(at("command")) || null,
          line,
        },
      ];
    });
  });
}

function levelOf(status: string): Pick<LoopEntry, "level" | "status"> {
  const level = LEVEL.exec(status)?.[1]?.toUpperCase() as Level | undefined;
  return { level: level ?? null, status: status.replace(LEVEL, "").replace(/^[\s*`—–-]+/, "") };
}

/** The first interval or range of the text; the rest is for people. null: there is none. */
function cadenceOf(written: string, line: number): LoopCadence | null {
  const [, first, firstUnit, second, secondUnit] = RANGE.exec(written) ?? [];
  const [, count, unit] = SPAN.exec(written) ?? [];
  const ends =
    first !== undefined
      ? [spanMs(first, firstUnit ?? secondUnit), spanMs(second, secondUnit)]
      : count !== undefined
        ? [spanMs(count, unit)]
        : [];
  if (ends.length === 0 || ends.includes(0)) return null;
  return { written, fastestMs: Math.min(...ends), slowestMs: Math.max(...ends), line };
}

function spanMs(count: string | undefined, unit: string | undefined): number {
  return Number(count) * UNIT_MS[unit?.toLowerCase() as keyof typeof UNIT_MS];
}

function unmarked(text: string): string {
  return text.replace(/[*`]/g, "").trim();
}

/** What stands in code, else the first word. */
function firstCode(value: string | undefined): string | null {
  return /`([^`]+)`/.exec(value ?? "")?.[1] ?? /^[^\s,;()]+/.exec(value ?? "")?.[0] ?? null;
}
