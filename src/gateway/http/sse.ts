/** Server-sent events as they come, cut where one ends. Most are never parsed, nor even cut: the reader says by what it knows those it wants. */
import type { JsonObject } from "../../base/json.ts";
import { objectIn } from "../wires/members.ts";

export interface Piece {
  readonly bytes: Buffer;
  /** One whole event, with the empty line behind it. Anything else concerns nobody. */
  readonly isWanted: boolean;
}

export interface SseCutter {
  /** What is there now up to the end of the last whole event; of one that does not end, its pieces. */
  push(chunk: Buffer): readonly Piece[];
  /** What came behind the last whole event. */
  rest(): Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NONE = Buffer.alloc(0);
/** An event that does not end is not read; it is passed on all the same. */
const MOST_BYTES = 64 * 1024 * 1024;

/** `marks`: a pattern with the flag `g` that stands in every event that is wanted; null: all of them are. */
export function createSseCutter(mostBytes = MOST_BYTES, marks: RegExp | null = null): SseCutter {
  let waiting: Buffer[] = [];
  let held = 0;
  let gaveUp = false;
  const keep = (...left: readonly Buffer[]): void => {
    waiting = left.filter(({ length }) => length > 0);
    held = waiting.reduce((sum, { length }) => sum + length, 0);
  };
  const cut = (bytes: Buffer): Cut => (marks === null ? eventsIn(bytes) : markedIn(bytes, marks));
  const giveUp = (): readonly Piece[] => {
    gaveUp = true;
    return waiting.splice(0).map(plain);
  };
  const hold = (chunk: Buffer): readonly Piece[] => {
    waiting.push(chunk);
    held += chunk.length;
    return held > mostBytes ? giveUp() : [];
  };
  /** Only what completes an event is joined with its beginning; where none ends, everything is. */
  const join = (chunk: Buffer): readonly [Cut, Cut] => {
    const end = endOfEvent(chunk, 0) || chunk.length;
    const head = cut(Buffer.concat([...waiting, chunk.subarray(0, end)]));
    return [head, end === chunk.length ? NOTHING_CUT : cut(chunk.subarray(end))];
  };
  return {
    push(chunk) {
      if (gaveUp) return [plain(chunk)];
      // Joined only when an event may end in it: a long one comes in many pieces.
      if (held > 0 && !chunk.includes(NEWLINE)) return hold(chunk);
      const [head, tail] = held === 0 ? [NOTHING_CUT, cut(chunk)] : join(chunk);
      keep(head.rest, tail.rest);
      return [...head.pieces, ...tail.pieces];
    },
    rest: () => (waiting.length === 0 ? NONE : Buffer.concat(waiting)),
  };
}

interface Cut {
  readonly pieces: readonly Piece[];
  readonly rest: Buffer;
}

const NOTHING_CUT: Cut = { pieces: [], rest: NONE };

const plain = (bytes: Buffer): Piece => ({ bytes, isWanted: false });

/** Looks only for the marks and for where the last event ends: a quick model sends thousands of events a second. */
function markedIn(bytes: Buffer, marks: RegExp): Cut {
  const text = bytes.toString("latin1");
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = nextMark(text, marks, 0); at >= 0; at = nextMark(text, marks, from)) {
    const end = endOfEvent(bytes, at);
    from = passOver(bytes, pieces, from, endOfLastEvent(text, from, at));
    if (end === 0) return { pieces, rest: bytes.subarray(from) };
    pieces.push({ bytes: bytes.subarray(from, end), isWanted: true });
    from = end;
  }
  from = passOver(bytes, pieces, from, endOfLastEvent(text, from, text.length));
  return { pieces, rest: bytes.subarray(from) };
}

function passOver(bytes: Buffer, pieces: Piece[], from: number, to: number): number {
  if (to > from) pieces.push(plain(bytes.subarray(from, to)));
  return to;
}

function nextMark(text: string, marks: RegExp, from: number): number {
  marks.lastIndex = from;
  return marks.exec(text)?.index ?? -1;
}

/** Behind the last empty line before `to`; `from`: there is none since. */
function endOfLastEvent(text: string, from: number, to: number): number {
  const returned = text.indexOf("\r", from);
  const plainEnd = behindLast(text, "\n\n", from, to);
  return returned < 0 || returned >= to ? plainEnd : Math.max(plainEnd, behindLast(text, "\n\r\n", from, to));
}

function behindLast(text: string, line: string, from: number, to: number): number {
  const at = text.lastIndexOf(line, to - line.length);
  return at < from ? from : at + line.length;
}

function eventsIn(bytes: Buffer): Cut {
  const pieces: Piece[] = [];
  let from = 0;
  for (let end = endOfEvent(bytes, from); end > 0; end = endOfEvent(bytes, from)) {
    pieces.push({ bytes: bytes.subarray(from, end), isWanted: true });
    from = end;
  }
  return { pieces, rest: bytes.subarray(from) };
}

/** Behind the next empty line; 0: there is none yet. */
function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes[at + 1];
    if (next === NEWLINE) return at + 2;
    if (next === RETURN && bytes[at + 2] === NEWLINE) return at + 3;
  }
  return 0;
}

/** The data of an event, when it is a JSON object. */
export function eventObject(event: Buffer): JsonObject | null {
  const data = event
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(line[5] === " " ? 6 : 5))
    .join("\n");
  if (!data.startsWith("{")) return null;
  try {
    return objectIn(JSON.parse(data));
  } catch {
    return null;
  }
}
