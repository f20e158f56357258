/**
 * The output of a process: whole lines of both streams go into one log in the order they are completed, so that no
 * secret is torn apart by the other stream. The log keeps its first and its last bytes and counts what lies between.
 */
import { createFirstBytes, createLastBytes } from "./byte-buffers.ts";

export interface LogCap {
  readonly headBytes: number;
  readonly tailBytes: number;
}

export interface Log {
  write(chunk: Uint8Array): void;
  /** The log as it may be stored. */
  finish(redact: (text: string) => string): { readonly bytes: Buffer; readonly dropped: number };
}

const LONGEST_LINE = 65_536;
/** At a cut, this much is looked through for the edge of a line or word, so that no part of a secret is left over. */
const EDGE = 4096;
const NEWLINE = 10;
const RETURN = 13;

/** Passes on whole lines; what has no line end yet waits, up to a limit. */
export function createLines(onLines: (lines: Uint8Array) => void): { write(chunk: Uint8Array): void; end(): void } {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = (): void => {
    if (heldBytes > 0) onLines(held.length === 1 ? (held[0] as Uint8Array) : Buffer.concat(held));
    held = [];
    heldBytes = 0;
  };
  const hold = (part: Uint8Array): void => {
    if (part.length > 0) held.push(part);
    heldBytes += part.length;
  };
  return {
    write: (chunk) => {
      const cut = Math.max(chunk.lastIndexOf(NEWLINE), chunk.lastIndexOf(RETURN)) + 1;
      if (cut > 0) {
        hold(chunk.subarray(0, cut));
        flush();
      }
      // A copy of the rest, not a view: a view would keep the whole chunk in memory.
      hold(Uint8Array.from(chunk.subarray(cut)));
      if (heldBytes > LONGEST_LINE) flush();
      else if (held.length > 64) held = [Buffer.concat(held)];
    },
    end: flush,
  };
}

export function createLog(cap: LogCap): Log {
  const head = createFirstBytes(cap.headBytes);
  const tail = createLastBytes(cap.tailBytes);
  let total = 0;
  return {
    write: (chunk) => {
      total += chunk.length;
      const taken = head.write(chunk);
      if (taken < chunk.length) tail.write(chunk.subarray(taken));
    },
    finish: (redact) => {
      const first = head.bytes();
      const last = tail.bytes();
      if (first.length + last.length === total)
        return { bytes: redactBytes(Buffer.concat([first, last]), redact), dropped: 0 };
      const start = first.subarray(0, edgeBefore(first));
      const end = last.subarray(edgeAfter(last));
      const dropped = total - start.length - end.length;
      const bytes = Buffer.concat([redactBytes(start, redact), gapMark(dropped), redactBytes(end, redact)]);
      return { bytes, dropped };
    },
  };
}

/** What stands in a log where bytes were left out. */
export function gapMark(dropped: number): Buffer {
  return Buffer.from(dropped === 0 ? "" : `\n[pawl: ${dropped} bytes left out here]\n`);
}

/** Masks secrets and leaves every other byte as it was, also bytes that are not text. */
export function redactBytes(bytes: Buffer, redact: (text: string) => string): Buffer {
  const text = bytes.toString("utf8");
  const masked = redact(text);
  if (masked === text) return bytes;
  const exact = Buffer.from(masked, "utf8");
  if (!text.includes("\ufffd")) return exact;
  // One character per byte keeps what is not UTF-8. A secret beyond ASCII is not found so: then text goes before bytes.
  const bytewise = Buffer.from(redact(bytes.toString("latin1")), "latin1");
  const rest = bytewise.toString("utf8");
  return redact(rest) === rest ? bytewise : exact;
}

/** Where to cut the bytes so that they end with a whole line, or else a whole word. */
function edgeBefore(bytes: Buffer): number {
  const from = Math.max(0, bytes.length - EDGE);
  const line = bytes.lastIndexOf(NEWLINE);
  if (line >= from) return line + 1;
  const space = bytes.lastIndexOf(32);
  return space >= from ? space + 1 : from;
}

/** Where to cut the bytes so that they begin with a whole line, or else a whole word. */
export function edgeAfter(bytes: Buffer): number {
  const until = Math.min(bytes.length, EDGE);
  const line = bytes.indexOf(NEWLINE);
  if (line !== -1 && line < until) return line + 1;
  const space = bytes.indexOf(32);
  return space !== -1 && space < until ? space + 1 : until;
}
