/** Calls that we make for the program: exactly those that were allowed, each once, by what we know of the tool. */
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { HostAnswer, HostTools } from "../../../ports/agents/host-tools.ts";

export const NO_HOST_TOOLS: HostTools = {
  tools: [],
  call: () => Promise.resolve({ ok: false, error: "there is no such tool" }),
  close: () => Promise.resolve(),
};

export interface HostHands {
  /** The call as it is ruled on: what a tool of ours does is not told by the program. */
  asked(call: ToolCall): ToolCall;
  ruled(call: ToolCall, ruling: Ruling): void;
  call(tool: JsonValue | undefined, input: JsonValue | undefined): Promise<HostAnswer>;
  /** Nothing more is called, and what is under way is given up. */
  stop(): void;
}

export function createHostHands(tools: HostTools): HostHands {
  const life = new AbortController();
  const granted: string[] = [];
  const find = (name: string) => tools.tools.find((tool) => tool.name === name);
  const keyOf = (tool: string, input: JsonObject): string => canonical([tool, input]);
  return {
    asked(call) {
      const known = find(call.tool);
      return known === undefined ? call : { ...call, requests: [known.request] };
    },
    ruled({ tool, input, isPart }, { answer }) {
      if (answer === "allow" && isPart !== true && find(tool) !== undefined) granted.push(keyOf(tool, input));
    },
    async call(tool, input) {
      const at = typeof tool === "string" && isJsonObject(input) ? granted.indexOf(keyOf(tool, input)) : -1;
      if (at < 0) return { ok: false, error: "this call was not allowed" };
      granted.splice(at, 1);
      return tools.call(tool as string, input as JsonObject, life.signal);
    },
    stop: () => life.abort(),
  };
}
