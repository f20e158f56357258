/** What a call of a tool of Claude Code would do, in the words of policy. */
import type { JsonObject } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import { textAt } from "./fields.ts";
import { placesOf, type Workspace } from "./places.ts";

export interface Call {
  readonly tool: string;
  readonly input: JsonObject;
  /** The working folder at that moment, as the agent sees it. */
  readonly cwd: string;
}

type Translation = (call: Call, workspace: Workspace) => readonly PolicyRequest[];

const UNKNOWN: readonly PolicyRequest[] = [{ kind: "read", path: null }];
const MCP = /^mcp__(.+?)__(.+)$/;

const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  Bash: shell,
  Monitor: shell,
  Read: file("read", "file_path"),
  NotebookRead: file("read", "notebook_path"),
  LS: file("read", "path"),
  Glob: glob,
  Grep: search,
  Write: file("edit", "file_path"),
  Edit: file("edit", "file_path"),
  MultiEdit: file("edit", "file_path"),
  NotebookEdit: file("edit", "notebook_path"),
  WebFetch: fetchRequests,
  ListMcpResourcesTool: resources("resources/list"),
  ReadMcpResourceTool: resources("resources/read"),
  ReadMcpResourceDirTool: resources("resources/read"),
};

/** Every one of them must be allowed. What is not known is a tool by name. */
export function requestsOf(call: Call, workspace: Workspace): readonly PolicyRequest[] {
  const [, server, tool] = MCP.exec(call.tool) ?? [];
  if (server !== undefined && tool !== undefined) return [{ kind: "mcp", server, tool }];
  const translation = Object.hasOwn(TRANSLATIONS, call.tool) ? TRANSLATIONS[call.tool] : undefined;
  return (translation ?? byName)(call, workspace);
}

function byName({ tool, input }: Call): readonly PolicyRequest[] {
  return [{ kind: "tool", tool, args: input }];
}

function shell(call: Call): readonly PolicyRequest[] {
  const script = textAt(call.input, "command");
  return script === null ? byName(call) : [{ kind: "shell", script }];
}

/** A path that is not told is not known, which nothing allows. */
function file(kind: "read" | "edit", name: string): Translation {
  return ({ input, cwd }, workspace) => {
    const path = textAt(input, name);
    if (path === null || path === "") return [{ kind, path: null }];
    return placesOf(workspace, cwd, path).map((place) => ({ kind, path: place }));
  };
}

/** The folder, or the file, that is looked through; without one, the working folder is. */
function search({ input, cwd }: Call, workspace: Workspace): readonly PolicyRequest[] {
  const path = input["path"] === undefined ? "." : textAt(input, "path");
  const places = path === null ? [] : placesOf(workspace, cwd, path === "" ? "." : path);
  return places.length === 0 ? UNKNOWN : places.map((place) => ({ kind: "read", path: place }));
}

/** A pattern of names may begin elsewhere than in the folder that is told. */
function glob(call: Call, workspace: Workspace): readonly PolicyRequest[] {
  const pattern = textAt(call.input, "pattern") ?? "";
  const parts = pattern.split("/");
  const fixed = parts.findIndex((part) => /[*?[\]{}!]/.test(part));
  if (fixed !== -1 && parts.slice(fixed).includes("..")) return UNKNOWN;
  const start = parts.slice(0, fixed === -1 ? parts.length : fixed).join("/");
  if (start === "" && !pattern.startsWith("/")) return search(call, workspace);
  const folder = textAt(call.input, "path") ?? ".";
  const path = pattern.startsWith("/") ? `/${start}` : `${folder === "" ? "." : folder}/${start}`;
  return [...search(call, workspace), ...search({ ...call, input: { path } }, workspace)];
}

/** It asks with TLS also where the address says nothing of it. */
function fetchRequests(call: Call): readonly PolicyRequest[] {
  const text = textAt(call.input, "url");
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === "" || !/^https?:$/.test(url.protocol)) return byName(call);
  const ports = url.port !== "" ? [Number(url.port)] : url.protocol === "https:" ? [443] : [80, 443];
  return ports.map((port) => ({ kind: "fetch", host: url.hostname, port }));
}

function resources(tool: string): Translation {
  return (call) => {
    const server = textAt(call.input, "server");
    return server === null ? byName(call) : [{ kind: "mcp", server, tool }];
  };
}
