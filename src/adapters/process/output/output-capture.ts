/** What a stage asked to take from standard output, as a value. Too much or malformed is no value. */
import type { JsonValue } from "../../../base/json.ts";
import { redactJson } from "../../../base/redact.ts";
import { formatBytes } from "../../../base/size.ts";
import type { Capture } from "../../../blueprint/blueprint.ts";
import { createFirstBytes } from "./byte-buffers.ts";

const MAX_CAPTURE_BYTES = 1024 * 1024;
const MAX_WHOLE_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 100;

export type Captured =
  | { readonly ok: true; readonly output?: JsonValue }
  | { readonly ok: false; readonly problem: string };

export interface OutputCapture {
  write(chunk: Uint8Array): void;
  finish(redact: (text: string) => string): Captured;
  /** All of it as it came, or why that is not here. */
  whole(): Buffer | string;
}

/** `keepsWhole`: also what is too much for a value is kept, up to a limit. */
export function createOutputCapture(capture: Capture, keepsWhole = false): OutputCapture {
  const most = keepsWhole ? MAX_WHOLE_BYTES : MAX_CAPTURE_BYTES;
  const buffer = createFirstBytes(capture === "none" && !keepsWhole ? 0 : most);
  let total = 0;
  return {
    write: (chunk) => {
      buffer.write(chunk);
      total += chunk.length;
    },
    whole: () =>
      total > MAX_WHOLE_BYTES ? `its standard output is larger than ${formatBytes(MAX_WHOLE_BYTES)}` : buffer.bytes(),
    finish: (redact) => {
      if (capture === "none") return { ok: true };
      if (total > MAX_CAPTURE_BYTES)
        return { ok: false, problem: `its standard output is larger than ${formatBytes(MAX_CAPTURE_BYTES)}` };
      const text = buffer.bytes().toString("utf8");
      return capture === "json" ? jsonOf(text, redact) : { ok: true, output: textOf(redact(text), capture) };
    },
  };
}

function textOf(text: string, capture: "text" | "lines"): JsonValue {
  const trimmed = text.replace(/\r?\n$/, "");
  if (capture === "text") return trimmed;
  return trimmed === "" ? [] : trimmed.split(/\r?\n/);
}

function jsonOf(text: string, redact: (text: string) => string): Captured {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const detail = text.trim() === "" ? "it is empty" : (error as Error).message;
    return { ok: false, problem: `its standard output is not JSON: ${detail}` };
  }
  const problem = unstorable(value);
  return problem === undefined
    ? { ok: true, output: redactJson(value, redact) }
    : { ok: false, problem: `its JSON output ${problem}` };
}

/** What JSON text may say but the journal does not store. Walks without recursion: the text is not trusted. */
function unstorable(value: JsonValue): string | undefined {
  const open: [value: JsonValue | undefined, depth: number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [item, depth] = next;
    if (typeof item === "number" && !Number.isFinite(item)) return "has a number that is too large";
    if (typeof item !== "object" || item === null) continue;
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    for (const member of Object.values(item)) open.push([member, depth + 1]);
  }
  return undefined;
}
