/** Tools that are not behind the wall of an agent: it asks for a call, and its host makes it. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PolicyRequest } from "../../policy/request.ts";

export interface HostTool {
  /** As a model sees it. */
  readonly name: string;
  readonly summary: string;
  /** JSON Schema. */
  readonly input: JsonObject;
  /** What policy is asked before each call. */
  readonly request: PolicyRequest;
}

export type HostAnswer =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly error: string };

export interface HostTools {
  readonly tools: readonly HostTool[];
  /** Never rejects. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<HostAnswer>;
  /** Resolves when nothing of them runs any more. */
  close(): Promise<void>;
}

/** The tools of these MCP servers of the project; none is started before its first call. Rejects with MCP_*. */
export type OpenHostTools = (servers: readonly string[]) => Promise<HostTools>;
