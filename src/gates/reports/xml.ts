/** A small strict reader of XML: elements and attributes. No document types, no entities but the five and numbers; text is not kept. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
}

/** `end`: the place after the outermost element. */
export type XmlResult =
  | { readonly ok: true; readonly root: XmlElement; readonly end: number }
  | { readonly ok: false; readonly problem: string };

const DEEPEST = 100;
const MOST_ELEMENTS = 1_000_000;

const SKIPPED = /[^<&]+|<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>/sy;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(lt|gt|amp|quot|apos));/y;
const OPEN = /<([A-Za-z_][\w.:-]*)/y;
const CLOSE = /<\/([A-Za-z_][\w.:-]*)[ \t\r\n]*>/y;
const ATTRIBUTE = /[ \t\r\n]+([A-Za-z_][\w.:-]*)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const OPEN_END = /[ \t\r\n]*(\/?)>/y;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
}

interface Cursor {
  readonly text: string;
  at: number;
  elements: number;
  /** From the outermost to the innermost open element. */
  readonly open: OpenElement[];
  root: XmlElement | undefined;
}

/** Reads one element with everything in it, from `from` on. */
export function readXml(text: string, from: number): XmlResult {
  const cursor: Cursor = { text, at: from, elements: 0, open: [], root: undefined };
  while (cursor.root === undefined || cursor.open.length > 0) {
    const problem = readNext(cursor);
    if (problem !== undefined) return { ok: false, problem: `${problem}, at character ${cursor.at}` };
  }
  return { ok: true, root: cursor.root, end: cursor.at };
}

/** What is wrong, or undefined after one step. */
function readNext(cursor: Cursor): string | undefined {
  if (cursor.at >= cursor.text.length) return "it ends before its last element does";
  if (take(cursor, SKIPPED) !== null) return undefined;
  const entity = take(cursor, ENTITY);
  if (entity !== null) return isCharacter(entity) ? undefined : "it has a number that is no character";
  const close = take(cursor, CLOSE);
  if (close !== null)
    return cursor.open.pop()?.name === close[1] ? undefined : `it closes ${close[1]}, which is not open`;
  const open = take(cursor, OPEN);
  return open === null ? "it has something that is no element" : readOpen(cursor, open[1] as string);
}

function readOpen(cursor: Cursor, name: string): string | undefined {
  const attributes = new Map<string, string>();
  for (let found = take(cursor, ATTRIBUTE); found !== null; found = take(cursor, ATTRIBUTE)) {
    const value = decode((found[2] ?? found[3]) as string);
    if (value === undefined || attributes.has(found[1] as string))
      return `it has an attribute ${found[1]} that cannot be read`;
    attributes.set(found[1] as string, value);
  }
  const end = take(cursor, OPEN_END);
  if (end === null) return `its element ${name} does not end`;
  cursor.elements += 1;
  if (cursor.open.length >= DEEPEST || cursor.elements > MOST_ELEMENTS) return "it is too deep or too large";
  const element: OpenElement = { name, attributes, children: [] };
  cursor.root ??= element;
  cursor.open.at(-1)?.children.push(element);
  if (end[1] === "") cursor.open.push(element);
  return undefined;
}

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match !== null) cursor.at = pattern.lastIndex;
  return match;
}

/** Undefined when the text has an `&` that is not one of the known entities. */
function decode(raw: string): string | undefined {
  const parts = raw.split("&");
  let text = parts[0] as string;
  for (const part of parts.slice(1)) {
    ENTITY.lastIndex = 0;
    const entity = ENTITY.exec(`&${part}`);
    if (entity === null || !isCharacter(entity)) return undefined;
    text += character(entity) + part.slice(entity[0].length - 1);
  }
  return text;
}

function isCharacter(entity: RegExpExecArray): boolean {
  return entity[3] !== undefined || codeOf(entity) <= 0x10ffff;
}

function character(entity: RegExpExecArray): string {
  return NAMED[entity[3] ?? ""] ?? String.fromCodePoint(codeOf(entity));
}

function codeOf(entity: RegExpExecArray): number {
  return entity[1] === undefined ? Number.parseInt(entity[2] as string, 16) : Number.parseInt(entity[1], 10);
}
