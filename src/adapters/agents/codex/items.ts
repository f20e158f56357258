/** What Codex does, item by item, in the words of policy. */
import type { JsonObject } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { WorkPlace } from "../cli/work-place.ts";
import { listIn, objectIn, textIn } from "./rpc.ts";

/** null: it is no call of a tool. */
export function callOf(item: JsonObject, place: WorkPlace): ToolCall | null {
  const id = textIn(item["id"]);
  switch (item["type"]) {
    case "commandExecution":
      return commandCall(id, item);
    case "fileChange":
      return changeCall(id, item, place);
    case "mcpToolCall": {
      const [server, tool] = [textIn(item["server"]), textIn(item["tool"])];
      const input = objectIn(item["arguments"]);
      return { id, tool: `${server}/${tool}`, input, requests: [{ kind: "mcp", server, tool }] };
    }
    case "imageView": {
      const path = textIn(item["path"]);
      return { id, tool: "view_image", input: { path }, requests: [{ kind: "read", path: place.pathOf(path) }] };
    }
    case "webSearch":
      return { id, tool: "web_search", input: { query: textIn(item["query"]) }, requests: [] };
    case "dynamicToolCall":
    case "collabAgentToolCall":
      return { id, tool: textIn(item["tool"]) || "tool", input: objectIn(item["arguments"]), requests: [] };
    default:
      return null;
  }
}

/** A command is told as the text that a shell would read. What is typed into one that runs already is not known. */
export function commandCall(id: string, { command, cwd, kind }: JsonObject): ToolCall {
  const script = kind === undefined || kind === "command" ? textIn(command) : "";
  const request: PolicyRequest = script === "" ? { kind: "run", argv: [null] } : { kind: "shell", script };
  return { id, tool: "exec_command", input: { command: script, cwd: textIn(cwd) }, requests: [request] };
}

/** Every path that a patch touches, where a file is moved to too. */
function changeCall(id: string, item: JsonObject, place: WorkPlace): ToolCall {
  const changes = listIn(item["changes"]);
  const paths = changes.flatMap((change) => {
    const moved = objectIn(change["kind"])["move_path"];
    return [change["path"], moved].flatMap((path) => (textIn(path) === "" ? [] : [textIn(path)]));
  });
  const named = [...new Set(paths.map((path) => place.pathOf(path)))];
  const requests: readonly PolicyRequest[] =
    named.length === 0 ? [{ kind: "edit", path: null }] : named.map((path) => ({ kind: "edit", path }));
  return { id, tool: "apply_patch", input: { changes }, requests };
}

/** In a line. */
export function resultOf(item: JsonObject): { readonly ok: boolean; readonly summary: string } {
  const status = textIn(item["status"]);
  const exit = item["exitCode"];
  const ok = (status === "" || status === "completed") && (typeof exit !== "number" || exit === 0);
  const code = typeof exit === "number" ? `exit ${exit} ` : "";
  return { ok, summary: `${code}${textIn(item["aggregatedOutput"]) || status}` };
}
