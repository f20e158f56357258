/** JSON lines out of a stream of bytes, however they are cut into chunks. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { readJson } from "../../../base/schema/read-json.ts";

export interface LineReader {
  /** False: a line is longer than any that is read; nothing more is. */
  write(chunk: Uint8Array): boolean;
}

const NEWLINE = 10;

/** What is no JSON object, or is nested beyond reason, is passed over: some programs print notes among their lines. */
export function createLineReader(mostBytes: number, onMessage: (message: JsonObject) => void): LineReader {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hold = (part: Uint8Array): void => {
    held.push(part);
    heldBytes += part.length;
  };
  const finish = (): void => {
    const message = parsed(Buffer.concat(held).toString("utf8"));
    held = [];
    heldBytes = 0;
    if (message !== null) onMessage(message);
  };
  return {
    write: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, at));
        if (heldBytes > mostBytes) return false;
        from = at + 1;
        finish();
      }
      hold(chunk.subarray(from));
      return heldBytes <= mostBytes;
    },
  };
}

function parsed(line: string): JsonObject | null {
  if (!line.startsWith("{")) return null;
  const value = readJson(line);
  return isJsonObject(value) ? value : null;
}
