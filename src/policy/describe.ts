/** Requests and patterns in words, for messages, and as JSON, for events. */
import type { JsonObject } from "../base/json.ts";
import type { PolicyRequest } from "./request.ts";

const LONGEST = 200;
const UNSAFE = /[\p{C}\u2028\u2029]/gu;

/** One line for a person: control characters are shown escaped and long text is cut. */
export function describeRequest(request: PolicyRequest): string {
  switch (request.kind) {
    case "run":
      return `run ${clip(request.argv.map(quoted).join(" "))}`;
    case "shell":
      return `shell ${clip(JSON.stringify(request.script))}`;
    case "action":
      return `action ${clip(request.action)}`;
  }
}

/** Exactly what was asked, nothing cut. */
export function requestJson(request: PolicyRequest): JsonObject {
  return { ...request };
}

/** Quotes only what would be read as more than one argument. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument);
}

function clip(text: string): string {
  const safe = text.replaceAll(UNSAFE, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST - 1)}…` : safe;
}
