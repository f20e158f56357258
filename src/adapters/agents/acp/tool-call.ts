/**
 * A tool call of an agent that speaks ACP, in the words of policy. The protocol leaves open what a tool is given: what cannot be
 * told for sure is a request that names nothing, and policy denies that.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { WorkPlace } from "../cli/work-place.ts";

/** Everything that was said of one call so far, in the form of the protocol. */
export type ToldCall = JsonObject;

const PATH_NAMES = ["file_path", "filePath", "filepath", "path", "absolute_path", "target_file", "notebook_path"];
const FOLDER_NAMES = ["dir_path", "directory", "workdir", "cwd"];
const HTTPS = 443;

export function toolCallOf(told: ToldCall, place: WorkPlace): ToolCall {
  const input = isJsonObject(told["rawInput"]) ? told["rawInput"] : {};
  return {
    id: String(told["toolCallId"]),
    tool: nameOf(told),
    input: Object.keys(input).length > 0 ? input : shownOf(told),
    requests: requestsOf(told, input, place),
  };
}

/** Later words about a call add to the earlier ones; one that says nothing takes nothing back. */
export function addTold(before: ToldCall | undefined, said: JsonObject): ToldCall {
  return { ...before, ...Object.fromEntries(Object.entries(said).filter(([, value]) => saysSomething(value))) };
}

function saysSomething(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function nameOf({ name, kind, title }: ToldCall): string {
  if (typeof name === "string" && name !== "") return name;
  return typeof kind === "string" && kind !== "other" ? kind : textOf(title) || "other";
}

function shownOf({ title, kind, locations }: ToldCall): JsonObject {
  return { title: title ?? null, kind: kind ?? null, locations: locations ?? [] };
}

function requestsOf(told: ToldCall, input: JsonObject, place: WorkPlace): readonly PolicyRequest[] {
  switch (told["kind"]) {
    case "execute":
      return [commandOf(input)];
    case "edit":
    case "delete":
    case "move":
      return filesOf("edit", [...diffPaths(told), ...namedPaths(told, input, PATH_NAMES)], place);
    case "read":
      return filesOf("read", namedPaths(told, input, PATH_NAMES), place);
    case "search":
      return filesOf("read", orHere(namedPaths(told, input, [...PATH_NAMES, ...FOLDER_NAMES]), place), place);
    case "fetch":
      return fetchOf(input);
    default:
      return [];
  }
}

/** A text goes to a shell; a list is started as it is. */
function commandOf({ command, cmd, args }: JsonObject): PolicyRequest {
  const given = command ?? cmd;
  if (typeof given === "string" && given !== "") {
    return Array.isArray(args)
      ? { kind: "run", argv: [given, ...args.map((part) => (typeof part === "string" ? part : null))] }
      : { kind: "shell", script: given };
  }
  if (!Array.isArray(given)) return { kind: "run", argv: [null] };
  return { kind: "run", argv: given.map((part) => (typeof part === "string" ? part : null)) };
}

function filesOf(kind: "read" | "edit", paths: readonly string[], place: WorkPlace): readonly PolicyRequest[] {
  if (paths.length === 0) return [{ kind, path: null }];
  return [...new Set(paths.map((path) => place.pathOf(path)))].map((path) => ({ kind, path }));
}

/** A search without a place is one in all that the agent stands in. */
function orHere(paths: readonly string[], place: WorkPlace): readonly string[] {
  return paths.length === 0 ? [place.cwd] : paths;
}

function diffPaths({ content }: ToldCall): readonly string[] {
  return listOf(content).flatMap((part) => (part["type"] === "diff" ? textsOf(part["path"]) : []));
}

function namedPaths({ locations }: ToldCall, input: JsonObject, names: readonly string[]): readonly string[] {
  const given = names.flatMap((name) => textsOf(input[name]));
  return [...given, ...listOf(locations).flatMap((location) => textsOf(location["path"]))];
}

function fetchOf({ url }: JsonObject): readonly PolicyRequest[] {
  if (typeof url !== "string" || !URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  return [{ kind: "fetch", host: hostname, port: Number(port) || (protocol === "http:" ? 80 : HTTPS) }];
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
