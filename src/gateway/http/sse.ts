/** Server-sent events as they come, cut where one ends. Most are never parsed: the reader says which it wants to see. */
import type { JsonObject } from "../../base/json.ts";
import { objectIn } from "../wires/members.ts";

export interface SseCutter {
  /**
   * The whole events that are there now, each with the empty line behind it; those that concern nobody in one piece; of one that
   * does not end, its pieces.
   */
  push(chunk: Buffer): readonly Buffer[];
  /** What `push` gave last concerns nobody. */
  isPlain(): boolean;
  /** What came behind the last whole event. */
  rest(): Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NONE = Buffer.alloc(0);
/** An event that does not end is not read; it is passed on all the same. */
const MOST_BYTES = 64 * 1024 * 1024;

/** `concerns`: whether there can be an event in these bytes that somebody wants to see by itself. */
export function createSseCutter(mostBytes = MOST_BYTES, concerns?: (bytes: Buffer) => boolean): SseCutter {
  let waiting: Buffer[] = [];
  let held = 0;
  let gaveUp = false;
  let isPlain = false;
  const keep = (...left: readonly Buffer[]): void => {
    waiting = left.filter(({ length }) => length > 0);
    held = waiting.reduce((sum, { length }) => sum + length, 0);
  };
  const cut = (bytes: Buffer): Cut => (concerns?.(bytes) === false ? inOnePiece(bytes) : eventsIn(bytes));
  const giveUp = (): readonly Buffer[] => {
    gaveUp = true;
    return waiting.splice(0);
  };
  const hold = (chunk: Buffer): readonly Buffer[] => {
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
      if (gaveUp) return [chunk];
      // Joined only when an event may end in it: a long one comes in many pieces.
      if (held > 0 && !chunk.includes(NEWLINE)) return hold(chunk);
      const [head, tail] = held === 0 ? [NOTHING_CUT, cut(chunk)] : join(chunk);
      isPlain = head.isPlain && tail.isPlain;
      keep(head.rest, tail.rest);
      return [...head.events, ...tail.events];
    },
    isPlain: () => isPlain,
    rest: () => (waiting.length === 0 ? NONE : Buffer.concat(waiting)),
  };
}

interface Cut {
  readonly events: readonly Buffer[];
  readonly rest: Buffer;
  readonly isPlain: boolean;
}

const NOTHING_CUT: Cut = { events: [], rest: NONE, isPlain: true };

/** Looks only for where the last event ends: a quick model sends thousands of them a second. */
function inOnePiece(bytes: Buffer): Cut {
  const plain = bytes.lastIndexOf("\n\n");
  const returned = bytes.includes(RETURN) ? bytes.lastIndexOf("\n\r\n") : -1;
  const end = Math.max(plain < 0 ? 0 : plain + 2, returned < 0 ? 0 : returned + 3);
  return { events: end === 0 ? [] : [bytes.subarray(0, end)], rest: bytes.subarray(end), isPlain: true };
}

function eventsIn(bytes: Buffer): Cut {
  const events: Buffer[] = [];
  let from = 0;
  for (let end = endOfEvent(bytes, from); end > 0; end = endOfEvent(bytes, from)) {
    events.push(bytes.subarray(from, end));
    from = end;
  }
  return { events, rest: bytes.subarray(from), isPlain: false };
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
