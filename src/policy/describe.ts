/** Requests in words, for messages, and as JSON, for events. */
import { canonical, type JsonObject } from "../base/json.ts";
import { visibleLine } from "../base/visible.ts";
import type { PolicyRequest } from "./request.ts";

const LONGEST = 200;
const UNKNOWN = "…";

/** One line for a person: control characters are shown escaped and long text is cut. */
export function describeRequest(request: PolicyRequest): string {
  return `${request.kind} ${visibleLine(wordsOf(request), LONGEST)}`;
}

function wordsOf(request: PolicyRequest): string {
  switch (request.kind) {
    case "run":
      return request.argv.map(quoted).join(" ");
    case "shell":
      return JSON.stringify(request.script);
    case "action":
      return request.action;
    case "read":
    case "edit":
      return quoted(request.path);
    case "fetch":
      return `${quoted(request.host)}:${request.port}`;
    case "tool":
      return `${quoted(request.tool)} ${canonical(request.args)}`;
    case "mcp":
      return `${quoted(request.server)}/${quoted(request.tool)}`;
    case "git":
      return [request.operation, ...request.refs].map(quoted).join(" ") + (request.force ? " by force" : "");
    case "spend":
      return `${request.microUsd / 1e6} dollars and ${request.tokens} tokens`;
  }
}

/** Exactly what was asked, nothing cut. */
export function requestJson(request: PolicyRequest): JsonObject {
  return JSON.parse(JSON.stringify(request)) as JsonObject;
}

/** Quotes only what would be read as more than one argument. */
function quoted(argument: string | null): string {
  if (argument === null) return UNKNOWN;
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
