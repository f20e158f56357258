/** Server-sent events as they come, cut where one ends. Most are never parsed: the reader says which it wants to see. */
import type { JsonObject } from "../../base/json.ts";
import { objectIn } from "../wires/members.ts";

export interface SseCutter {
  /** The whole events that are there now, each with the empty line behind it; of one that does not end, its pieces. */
  push(chunk: Buffer): readonly Buffer[];
  /** What came behind the last whole event. */
  rest(): Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NONE = Buffer.alloc(0);
/** An event that does not end is not read; it is passed on all the same. */
const MOST_BYTES = 64 * 1024 * 1024;

export function createSseCutter(mostBytes = MOST_BYTES): SseCutter {
  let waiting: Buffer[] = [];
  let held = 0;
  let gaveUp = false;
  const keep = (...left: readonly Buffer[]): void => {
    waiting = left.filter(({ length }) => length > 0);
    held = waiting.reduce((sum, { length }) => sum + length, 0);
  };
  const giveUp = (): readonly Buffer[] => {
    gaveUp = true;
    return waiting.splice(0);
  };
  return {
    push(chunk) {
      if (gaveUp) return [chunk];
      // Joined only when an event may end in it: a long one comes in many pieces.
      if (held > 0 && !chunk.includes(NEWLINE)) {
        waiting.push(chunk);
        held += chunk.length;
        return held > mostBytes ? giveUp() : [];
      }
      const { events, rest } = eventsIn(held === 0 ? chunk : Buffer.concat([...waiting, chunk]));
      keep(rest);
      return events;
    },
    rest: () => (waiting.length === 0 ? NONE : Buffer.concat(waiting)),
  };
}

function eventsIn(bytes: Buffer): { readonly events: readonly Buffer[]; readonly rest: Buffer } {
  const events: Buffer[] = [];
  let from = 0;
  for (let end = endOfEvent(bytes, from); end > 0; end = endOfEvent(bytes, from)) {
    events.push(bytes.subarray(from, end));
    from = end;
  }
  return { events, rest: bytes.subarray(from) };
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
