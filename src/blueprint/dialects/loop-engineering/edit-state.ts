/**
 * Changes of a state file by a loop. Whatever a loop does not own keeps every byte: what people and other programs wrote, line
 * breaks, comments, code. A decision of a person and a ticked box are never written.
 */
import { formatInstant } from "../../../base/text/instant.ts";
import { breakAt, type PageLine, pageLines, withoutLines } from "./page-lines.ts";
import { headingOf, type ItemRole, isBelow, isRule, itemsOfRole, parseStateFile } from "./state-file.ts";
import { fieldOf, type StateItem, stateItemId } from "./state-item.ts";
import { writtenText } from "./written-text.ts";

/** Fields that belong to loops. */
export type LoopField = "Loop action" | "Last action" | "Attempts" | "acting_on" | "Status";
export type LoopFields = Readonly<Partial<Record<LoopField, string>>>;

export type StateEdit =
  | { readonly kind: "last_run"; readonly at: number; readonly note?: string }
  /** An open item of this role: added, or seen again. Its text stays as it is when it is there already. */
  | {
      readonly kind: "put";
      readonly role: ItemRole;
      readonly id: string;
      readonly text: string;
      readonly at: number;
      readonly fields?: LoopFields;
    }
  /** Fields of the first open item with this id: one that is being worked on, before one among noise or what is resolved. */
  | { readonly kind: "set"; readonly id: string; readonly fields: LoopFields }
  /** Takes away an item that a loop has put there, unless a person has said something about it. */
  | { readonly kind: "drop"; readonly role: ItemRole; readonly id: string };

/** The field by which an item of a loop is known: when it was last seen. */
const SEEN = "Seen";
const TITLES: Readonly<Record<ItemRole, string>> = {
  act: "High Priority (loop is acting or waiting on human)",
  watch: "Watch List",
  noise: "Recent Noise (ignored this run)",
  human: "Human Inbox",
  resolved: "Resolved (last 7d)",
};
const DAY_LENGTH = "2026-11-16".length;
const COMMENT = /<!--.*?-->/g;

export function editStateFile(text: string, ...edits: readonly StateEdit[]): string {
  return edits.reduce((before, edit) => {
    if (edit.kind === "last_run") return withLastRun(before, edit);
    if (edit.kind === "put") return withItem(before, edit);
    if (edit.kind === "drop") return without(before, edit);
    const item = openItem(before, edit.id, "act", "watch", "human") ?? openItem(before, edit.id, "noise", "resolved");
    return item === undefined ? before : withFields(before, item.line, edit.fields);
  }, text);
}

/** A state file for a project that has none. */
export function newStateFile(project: string): string {
  const sections = (["act", "watch", "noise"] as const).map((role) => `## ${TITLES[role]}\n\n`).join("");
  return `# Loop State — ${writtenText(project, 100)}\n\nLast run: never\n\n${sections}---\nRun log: see loop-run-log.md\n`;
}

function openItem(text: string, id: string, ...roles: readonly ItemRole[]): StateItem | undefined {
  const wanted = stateItemId(id);
  return itemsOfRole(parseStateFile(text), ...roles).find((item) => item.id === wanted && !item.isDone);
}

function withLastRun(text: string, { at, note }: StateEdit & { kind: "last_run" }): string {
  const value = `${formatInstant(at)}${note === undefined ? "" : ` (${writtenText(note, 200)})`}`;
  const { lastRunLine } = parseStateFile(text);
  const lines = pageLines(text);
  const line = lines[(lastRunLine ?? 0) - 1];
  if (line !== undefined) return withValue(text, line, value);
  const title = lines.find((each) => headingOf(each)?.depth === 1 && !each.hidesNext);
  return title === undefined
    ? inserted(text, firstOf(lines).start, [`Last run: ${value}`, ""])
    : insertedAfter(text, title, ["", `Last run: ${value}`]);
}

function withItem(text: string, { role, id, text: said, at, fields = {} }: StateEdit & { kind: "put" }): string {
  const seen = formatInstant(at).slice(0, DAY_LENGTH);
  const known = openItem(text, id, role);
  if (known !== undefined) return withFields(text, known.line, { ...fields, [SEEN]: seen });
  const below = Object.entries({ ...fields, [SEEN]: seen }).map(([name, value]) => `  ${name}: ${writtenText(value)}`);
  const lines = [`- [ ] ${stateItemId(id)} — ${writtenText(said)}`, ...below];
  const place = placeIn(text, role);
  if (place === undefined) return withSection(text, role, lines);
  // What stands there alone must not become a part of the item.
  const next = pageLines(text)[place.number];
  return insertedAfter(text, place, next !== undefined && isBelow(text, next) ? [...lines, ""] : lines);
}

/** The line after which an item of this role is seen by whoever reads the page. */
function placeIn(text: string, role: ItemRole): PageLine | undefined {
  const lines = pageLines(text);
  const section = parseStateFile(text).sections.find((each) => each.role === role);
  if (section === undefined) return undefined;
  // What comes after a heading of the third level would belong to that heading.
  const until = section.items.findIndex(({ isHeading }) => isHeading);
  const last = section.items.slice(0, until === -1 ? undefined : until).at(-1);
  const places = [last?.lastLine ?? section.line, section.line].map((number) => lines[number - 1] as PageLine);
  return places.find(({ hidesNext }) => !hidesNext);
}

/** Before the rule at the foot of the page, else at its end; at its beginning where the end cannot be seen. */
function withSection(text: string, role: ItemRole, item: readonly string[]): string {
  const lines = pageLines(text);
  const section = [`## ${TITLES[role]}`, ...item];
  const lastHeading = lines.findLastIndex((line) => headingOf(line) !== null);
  const foot = lines.findLast((line, index) => index > lastHeading && lastHeading !== -1 && isRule(line));
  if (foot !== undefined) return inserted(text, foot.start, [...section, ""]);
  const end = lines.at(-1) as PageLine;
  // The rule keeps apart what stood at the beginning so far.
  if (end.hidesNext) return inserted(text, firstOf(lines).start, [...section, "", "---", ""]);
  if (end.start !== end.end) return insertedAfter(text, end, ["", ...section]);
  return inserted(text, end.start, lines.length === 1 ? section : ["", ...section]);
}

function withFields(text: string, first: number, fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields).reduce((before, [name, value]) => {
    const item = itemAt(before, first);
    const lines = pageLines(before);
    const field = item.fields.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (field !== undefined) return withValue(before, lines[field.line - 1] as PageLine, writtenText(value));
    const own = lines.slice(item.line - 1, item.lastLine).findLast(({ hidesNext }) => !hidesNext);
    // A line that nobody would see is not written.
    if (own === undefined) return before;
    return insertedAfter(before, own, [`${item.isHeading ? "- " : "  "}${name}: ${writtenText(value)}`]);
  }, text);
}

function itemAt(text: string, line: number): StateItem {
  const all = itemsOfRole(parseStateFile(text), "act", "watch", "noise", "human", "resolved");
  return all.find((item) => item.line === line) as StateItem;
}

/** The value of the field in this line; comments among it stay behind it. */
function withValue(text: string, line: PageLine, value: string): string {
  const { from, to } = fieldOf(line) as NonNullable<ReturnType<typeof fieldOf>>;
  const comments = text.slice(line.start + from, line.start + to).match(COMMENT) ?? [];
  const gap = from === to ? " " : "";
  return spliced(text, line.start + from, line.start + to, `${gap}${[value, ...comments].join(" ")}`);
}

function without(text: string, { role, id }: StateEdit & { kind: "drop" }): string {
  const item = openItem(text, id, role);
  if (item === undefined || item.isHeading || !isOfLoop(item)) return text;
  const own = pageLines(text).slice(item.line - 1, item.lastLine);
  const [start, end] = [(own[0] as PageLine).start, (own.at(-1) as PageLine).next];
  // A comment was put there by somebody else.
  return /<!--|-->/.test(text.slice(start, end)) ? text : withoutLines(text, start, end);
}

/** Nothing in it but what a loop writes. */
function isOfLoop({ fields, line, lastLine }: StateItem): boolean {
  const isOurs = fields.every(({ name }) => name === SEEN || Object.hasOwn(LOOP_FIELDS, name));
  return isOurs && fields.some(({ name }) => name === SEEN) && lastLine - line === fields.length;
}

const LOOP_FIELDS: Readonly<Record<LoopField, true>> = {
  "Loop action": true,
  "Last action": true,
  Attempts: true,
  acting_on: true,
  Status: true,
};

function firstOf(lines: readonly PageLine[]): PageLine {
  return lines[0] as PageLine;
}

function insertedAfter(text: string, line: PageLine, added: readonly string[]): string {
  const lineBreak = breakAt(text, line.next);
  const isLast = line.next === line.end;
  const body = added.join(lineBreak);
  return isLast
    ? spliced(text, line.end, line.end, `${lineBreak}${body}`)
    : spliced(text, line.next, line.next, `${body}${lineBreak}`);
}

function inserted(text: string, at: number, added: readonly string[]): string {
  const lineBreak = breakAt(text, at);
  return spliced(text, at, at, added.map((line) => `${line}${lineBreak}`).join(""));
}

function spliced(text: string, start: number, end: number, by: string): string {
  return `${text.slice(0, start)}${by}${text.slice(end)}`;
}
