/** MCP servers: programs that offer tools. Each is started behind the wall, with exactly what its declaration says. */
import type { RunId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";

export interface McpTool {
  /** As the server names it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly input: JsonObject;
  readonly output: JsonObject | null;
}

/** What a tool answered: untrusted, and never more than was asked for. */
export type McpAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      /** What it gave in the form of its output schema; null: nothing. */
      readonly value: JsonValue | null;
      /** Bytes that were left out. */
      readonly cut: number;
    }
  | { readonly ok: false; readonly error: string };

export interface McpSession {
  readonly server: string;
  /** All of them, by name. */
  readonly tools: readonly McpTool[];
  /** The server has said since that its tools are not those any more. */
  hasChanged(): boolean;
  /** Never rejects. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<McpAnswer>;
  /** Resolves when the program and all that it started are gone. Idempotent. */
  close(): Promise<void>;
}

export interface McpServers {
  /** Starts the server and asks for its tools. Rejects with MCP_SERVER_FAILED: then nothing is left running. */
  open(server: McpServerSpec, run: RunId, signal: AbortSignal): Promise<McpSession>;
}

/** What a person has accepted of a server: how it is started, and its tools with all that is said of them. */
export interface McpPin {
  readonly server: string;
  /** Digest of its declaration. */
  readonly declaration: string;
  readonly tools: readonly McpTool[];
  /** Digest of its tools. */
  readonly digest: string;
  readonly by: string;
  readonly at: number;
}

export interface McpPins {
  /** null: there is none. Rejects with MCP_PIN_UNREADABLE. */
  read(server: string): Promise<McpPin | null>;
  /** Durable when it resolves; takes the place of the one before. */
  write(pin: McpPin): Promise<void>;
}
