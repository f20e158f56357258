/** Requests in words, for messages, and as JSON, for events. */
import type { JsonObject } from "../base/json.ts";
import { visibleLine } from "../base/visible.ts";
import type { PolicyRequest } from "./request.ts";

const LONGEST = 200;

/** One line for a person: control characters are shown escaped and long text is cut. */
export function describeRequest(request: PolicyRequest): string {
  switch (request.kind) {
    case "run":
      return `run ${visibleLine(request.argv.map(quoted).join(" "), LONGEST)}`;
    case "shell":
      return `shell ${visibleLine(JSON.stringify(request.script), LONGEST)}`;
    case "action":
      return `action ${visibleLine(request.action, LONGEST)}`;
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
