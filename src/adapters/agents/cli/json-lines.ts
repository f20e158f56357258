/** A stream of bytes as JSON objects, one a line. What is no JSON object is noise and left out; a line without an end is an end. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { readJson } from "../../../base/schema/read-json.ts";

export interface JsonLines {
  /** False: a line is longer than any message may be, and nothing more is read. */
  push(chunk: Uint8Array): boolean;
}

const NEWLINE = 10;
const MOST_BYTES = 32 << 20;

export function createJsonLines(onMessage: (message: JsonObject) => void, mostBytes = MOST_BYTES): JsonLines {
  let parts: Uint8Array[] = [];
  let held = 0;
  let isOver = false;

  /** A line has ended, or goes on in the next chunk. */
  const take = (piece: Uint8Array, isEnd: boolean): void => {
    parts.push(piece);
    held += piece.length;
    if (!isEnd) return;
    const message = parsed(Buffer.concat(parts).toString("utf8"));
    parts = [];
    held = 0;
    if (message !== null) onMessage(message);
  };

  return {
    push(chunk) {
      for (let from = 0; from < chunk.length && !isOver; ) {
        const at = chunk.indexOf(NEWLINE, from);
        const end = at < 0 ? chunk.length : at;
        isOver = held + end - from > mostBytes;
        if (isOver) parts = [];
        else take(chunk.subarray(from, end), at >= 0);
        from = end + 1;
      }
      return !isOver;
    },
  };
}

function parsed(line: string): JsonObject | null {
  const value = readJson(line);
  return isJsonObject(value) ? value : null;
}
