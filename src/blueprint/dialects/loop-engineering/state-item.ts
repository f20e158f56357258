/** One item of a state file: `- [ ] ID — text` or `### ID — text`, with its fields below it. */
import type { PageLine } from "./page-lines.ts";
import { writtenText } from "./written-text.ts";

export interface StateField {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

export interface Attempts {
  readonly used: number;
  readonly most: number;
}

export interface StateItem {
  /** What it is about: `#12`, or the words before the dash. */
  readonly id: string;
  readonly text: string;
  /** Its first line as it stands there, without the box. */
  readonly written: string;
  /** A person has ticked it off. */
  readonly isDone: boolean;
  readonly fields: readonly StateField[];
  /** What a person has decided; null: nothing yet. */
  readonly humanDecision: string | null;
  /** What a loop did last about it. */
  readonly loopAction: string | null;
  /** Who or what is at work on it. */
  readonly actingOn: string | null;
  readonly attempts: Attempts | null;
  /** The first line and the last one; lines count from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** A heading with a list of fields, and not a point of a list. */
  readonly isHeading: boolean;
}

const LONGEST_ID = 120;
const LONGEST_LINE = 4000;
const POINT = /^ ?[-*+][ \t]+(.*)$/;
const BOX = /^\[([ xX])\][ \t]+/;
const DASH = / [—–] /;
const SHORT_DASH = /^(\S+) - /;
const NUMBER = /^#\d+(?!\w)/;
const LINK = /\[([^\][]{0,200})\]\([^()]{0,500}\)/g;
const FIELD = /^\s{0,40}(?:[-*+][ \t]{1,8})?[*`]{0,2}([A-Za-z][\w /-]{0,39}?)[*`]{0,2}\s{0,8}:[*`]{0,2}(?=\s|$)/;
/** What is said to all loops is no item. */
const SAID_TO_ALL = /^[*_`]{0,3}(?:acting_on|loop-pause-all)[*_`]{0,3}\s{0,8}:/i;
const NOTHING = /^(?:[-–—]|none|pending|n\/a|_?\(none\)_?)?\.?$/i;
const COUNT = /^(\d{1,6})\s{0,4}\/\s{0,4}(\d{1,6})(?!\d)/;

/** What stands behind the mark of a list; null: it is none, or it only says that there is nothing. */
export function pointOf({ shown }: PageLine): string | null {
  const content = POINT.exec(shown.slice(0, LONGEST_LINE))?.[1]?.trim() ?? "";
  return NOTHING.test(content) || SAID_TO_ALL.test(content) ? null : content;
}

/** What a file would call an item that is about this. */
export function stateItemId(about: string): string {
  return idOf(writtenText(about));
}

/** The same for whatever it gives back: an item is found again by the id that was written. */
function idOf(content: string): string {
  const head = plain(content.split(DASH, 1)[0] as string).replace(/(?:\s?[—–])+$/, "");
  const short = NUMBER.exec(head)?.[0] ?? SHORT_DASH.exec(head)?.[1] ?? head;
  return writtenText(short, LONGEST_ID);
}

/** Without links and emphasis. */
function plain(text: string): string {
  return text
    .replace(LINK, "$1")
    .replace(/[*`~[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** What is said besides the id. */
function textOf(content: string, id: string): string {
  const [head = "", ...others] = content.split(DASH);
  const words = plain(head);
  const more = words.startsWith(id) ? words.slice(id.length).replace(/^ - /, "").trim() : words;
  return [more, ...others.map((part) => part.trim())].filter((part) => part !== "").join(" — ");
}

/** `lines`: those of the item, its first one among them. */
export function readItem(content: string, lines: readonly PageLine[], isHeading: boolean): StateItem {
  const box = BOX.exec(content);
  const said = content.slice(box?.[0].length ?? 0);
  const id = idOf(said);
  const fields = lines.slice(1).flatMap((line) => {
    const found = fieldOf(line);
    return found === null
      ? []
      : [{ name: found.name, value: line.shown.slice(found.from, found.to), line: line.number }];
  });
  const given = (name: RegExp): string | null => {
    const value = fields.find((field) => name.test(field.name))?.value ?? "";
    return NOTHING.test(value) ? null : value;
  };
  const [, used, most] = COUNT.exec(given(/^attempts?$/i) ?? "") ?? [];
  return {
    id,
    text: textOf(said, id),
    written: said,
    isDone: box !== null && box[1] !== " ",
    fields,
    humanDecision: given(/^human decision$/i),
    loopAction: given(/^loop action$/i) ?? given(/^last action$/i),
    actingOn: given(/^acting_on$/i),
    attempts: used === undefined ? null : { used: Number(used), most: Number(most) },
    line: (lines[0] as PageLine).number,
    lastLine: (lines.at(-1) as PageLine).number,
    isHeading,
  };
}

/** `name: value` in a line, and where the value stands in it. */
export function fieldOf({ shown }: Pick<PageLine, "shown">): { name: string; from: number; to: number } | null {
  const found = FIELD.exec(shown);
  if (found === null) return null;
  const rest = shown.slice(found[0].length);
  const from = found[0].length + (rest.trim() === "" ? 0 : rest.length - rest.trimStart().length);
  return { name: (found[1] as string).trim(), from, to: from + rest.trim().length };
}
