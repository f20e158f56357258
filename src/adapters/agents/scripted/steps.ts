/** Steps of a script: what each asks of policy, and what it makes the hands do. */
import { posix } from "node:path";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { AgentFailure, ToolCall } from "../../../ports/agents/agent-backend.ts";

export type Step =
  | { readonly say: string }
  | { readonly read: string }
  | { readonly edit: { readonly path: string; readonly find: string; readonly put: string } }
  | { readonly write: { readonly path: string; readonly text: string } }
  | { readonly remove: string }
  | { readonly run: readonly string[] }
  | { readonly fetch: string }
  | { readonly call: { readonly tool: string; readonly input?: JsonValue } }
  | { readonly usage: { readonly tokens: number; readonly usd?: number } }
  | { readonly retry: string }
  | { readonly answer: JsonValue }
  | { readonly fail: { readonly why: AgentFailure | "budget" | "denied"; readonly error?: string } }
  | { readonly hang: boolean };

/** null: nobody needs to be asked. */
export function callOf(step: Step, id: string, cwd: string): ToolCall | null {
  const at = (path: string): string => (posix.isAbsolute(path) ? path : posix.normalize(posix.join(cwd, path)));
  const call = (tool: string, input: JsonObject, ...requests: readonly PolicyRequest[]): ToolCall => {
    return { id, tool, input, requests };
  };
  if ("read" in step) return call("read", { path: step.read }, { kind: "read", path: at(step.read) });
  if ("edit" in step) return call("edit", { ...step.edit }, { kind: "edit", path: at(step.edit.path) });
  if ("write" in step) return call("write", { ...step.write }, { kind: "edit", path: at(step.write.path) });
  if ("remove" in step) return call("remove", { path: step.remove }, { kind: "edit", path: at(step.remove) });
  if ("run" in step) return call("run", { argv: step.run }, { kind: "run", argv: step.run });
  if ("fetch" in step) return call("fetch", { to: step.fetch }, { kind: "fetch", ...placeOf(step.fetch) });
  if (!("call" in step)) return null;
  const { tool, input } = step.call;
  return call(tool, { input: input ?? null });
}

/** What the hands do; null: nothing. */
export function handOf(step: Step): { readonly does: string; readonly input: JsonObject } | null {
  if ("read" in step) return { does: "read", input: { path: step.read } };
  if ("edit" in step) return { does: "edit", input: { ...step.edit } };
  if ("write" in step) return { does: "write", input: { ...step.write } };
  if ("remove" in step) return { does: "remove", input: { path: step.remove } };
  if ("run" in step) return { does: "run", input: { argv: step.run } };
  if ("fetch" in step) return { does: "fetch", input: placeOf(step.fetch) };
  return "hang" in step && step.hang ? { does: "hang", input: {} } : null;
}

function placeOf(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}
