/**
 * `STATE.md` and the state files of patterns: an inbox and an outbox that people and loops share. What people have written
 * there is read at the start of a run; it is never the truth about what a loop did.
 */
import { pausesAll } from "../../../limits/kill/pauses-all.ts";
import { type PageLine, pageLines } from "./page-lines.ts";
import { fieldOf, pointOf, readItem, type StateItem } from "./state-item.ts";
import { datesIn } from "./written-dates.ts";

/** What the items of a section are: to be worked on, looked at, passed over, handed to a person, or over. */
export type ItemRole = "act" | "watch" | "noise" | "human" | "resolved";

export interface StateSection {
  /** `other`: not ours to read. */
  readonly role: ItemRole | "other";
  readonly title: string;
  readonly line: number;
  readonly items: readonly StateItem[];
}

export interface StateFile {
  /** When a loop ran last: milliseconds since 1970; null: never, or it cannot be read. */
  readonly lastRun: number | null;
  /** The line that says so. */
  readonly lastRunLine: number | null;
  readonly sections: readonly StateSection[];
  /** `acting_on: <id>` outside of items. */
  readonly actingOn: readonly string[];
  /** The line with `loop-pause-all: true`; null: loops may run. */
  readonly pausedBy: number | null;
}

/** Headings by how they begin. */
const ROLES: readonly (readonly [RegExp, ItemRole])[] = [
  [/^(?:high priority|watched prs|active failures|in[- ]flight|active lease)/i, "act"],
  [/^watch\b/i, "watch"],
  [/^recent noise/i, "noise"],
  [/^(?:human inbox|human required|escalated)/i, "human"],
  [/^resolved/i, "resolved"],
];
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const BELOW = /^(?: {2}|\t)\s*\S/;

export function parseStateFile(text: string): StateFile {
  const lines = pageLines(text);
  const sections = sectionsOf(lines).map(({ title, first, body }) => {
    const role = roleOf(title);
    const items = role === "other" ? [] : itemsOf(text, body);
    return { role, title, line: first.number, items };
  });
  const ofItems = new Set(
    sections.flatMap(({ items }) => items).flatMap(({ fields }) => fields.map(({ line }) => line)),
  );
  const lastRun = lines.find((line) => isField(line, /^last run$/i));
  return {
    lastRun: lastRun === undefined ? null : (datesIn(lastRun.shown)[0] ?? null),
    lastRunLine: lastRun?.number ?? null,
    sections,
    actingOn: lines.flatMap((line) => (ofItems.has(line.number) ? [] : actingOnOf(line))),
    pausedBy: pausesAll(text),
  };
}

/** The items of these roles, in the order of the file. */
export function itemsOfRole({ sections }: StateFile, ...roles: readonly ItemRole[]): readonly StateItem[] {
  return sections.filter(({ role }) => roles.some((each) => each === role)).flatMap(({ items }) => items);
}

function roleOf(title: string): StateSection["role"] {
  return ROLES.find(([form]) => form.test(title))?.[1] ?? "other";
}

export interface PageSection {
  readonly title: string;
  readonly first: PageLine;
  readonly body: readonly PageLine[];
}

/** The parts below second-level headings, each up to the next one, to a title, or to a rule across the page. */
export function sectionsOf(lines: readonly PageLine[]): readonly PageSection[] {
  const sections: { title: string; first: PageLine; body: PageLine[] }[] = [];
  let open: PageLine[] | null = null;
  for (const line of lines) {
    const heading = headingOf(line);
    if (heading?.depth === 2) {
      open = [];
      sections.push({ title: heading.title, first: line, body: open });
    } else if (heading?.depth === 1 || RULE.test(line.shown)) open = null;
    else open?.push(line);
  }
  return sections;
}

export function headingOf({ shown }: PageLine): { readonly depth: number; readonly title: string } | null {
  const [, marks, title = ""] = HEADING.exec(shown) ?? [];
  return marks === undefined ? null : { depth: marks.length, title: title.trim() };
}

/** Whether it would belong to a point of a list above it. */
export function isBelow(text: string, { start, end }: PageLine): boolean {
  return BELOW.test(text.slice(start, end));
}

export function isRule({ shown }: PageLine): boolean {
  return RULE.test(shown);
}

function isField(line: PageLine, name: RegExp): boolean {
  return name.test(fieldOf(line)?.name ?? "");
}

function actingOnOf(line: PageLine): readonly string[] {
  const found = fieldOf(line);
  if (found === null || !/^acting_on$/i.test(found.name)) return [];
  const value = line.shown.slice(found.from, found.to);
  return /^(?:[-–—]|none)?$/i.test(value) ? [] : [value];
}

/** A point of the list with what is indented below it; below a third-level heading everything belongs to that heading. */
function itemsOf(text: string, body: readonly PageLine[]): readonly StateItem[] {
  const items: StateItem[] = [];
  for (let at = 0; at < body.length; at += 1) {
    const line = body[at] as PageLine;
    const heading = headingOf(line);
    const content = heading === null ? pointOf(line) : heading.title;
    if (content === null || content === "") continue;
    const isPart = (next: PageLine): boolean => (heading === null ? isBelow(text, next) : headingOf(next) === null);
    let end = at + 1;
    while (end < body.length && isPart(body[end] as PageLine)) end += 1;
    // Blank lines before whatever comes next part the two, and belong to neither.
    const last = body.slice(at, end).findLastIndex(({ start, end: stop }) => text.slice(start, stop).trim() !== "");
    items.push(readItem(content, body.slice(at, at + last + 1), heading !== null));
    at = end - 1;
  }
  return items;
}
