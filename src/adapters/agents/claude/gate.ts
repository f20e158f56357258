/** The gate that every call of a tool passes before it happens: it is ruled on once, and nothing else is let through. */
import { sha256 } from "../../../base/digest.ts";
import { canonical, type JsonObject } from "../../../base/json.ts";
import type { AgentHost, Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import { objectAt, textAt } from "./fields.ts";
import type { Workspace } from "./places.ts";
import { requestsOf } from "./tools.ts";

export interface GateOptions {
  readonly host: AgentHost;
  readonly workspace: Workspace;
  /** Where it works, as it sees it itself. */
  readonly cwd: string;
}

export interface Gate {
  /** Rules on a call, or says again how it was ruled on. */
  rule(call: Pick<ToolCall, "id" | "tool" | "input">, cwd?: string): Promise<Ruling>;
  /** What the hook before a tool is answered. */
  answer(hook: JsonObject): Promise<JsonObject>;
  /** What it is answered when it asks once more: only what was let through, exactly as it was. */
  permit(request: JsonObject): JsonObject;
  hasAllowed(id: string): boolean;
  /** The first call that a person must decide; null: there is none. */
  deferred(): ToolCall | null;
}

/** It is the answer itself, and does nothing. */
const ANSWER_TOOL = "StructuredOutput";
const ALLOW: Ruling = { answer: "allow" };

export function createGate({ host, workspace, cwd }: GateOptions): Gate {
  const asked = new Map<string, { readonly what: string; readonly ruling: Promise<Ruling> }>();
  /** Id of a call → what it is. */
  const allowed = new Map<string, string>();
  let deferred: ToolCall | null = null;

  const rule: Gate["rule"] = ({ id, tool, input }, from = cwd) => {
    const what = whatOf(tool, input);
    const known = asked.get(id);
    if (known?.what === what) return known.ruling;
    allowed.delete(id);
    const call = { id, tool, input, requests: requestsOf({ tool, input, cwd: from }, workspace) };
    const ruling = (tool === ANSWER_TOOL ? Promise.resolve(ALLOW) : ask(host, call)).then((given) => {
      if (given.answer === "allow") allowed.set(id, what);
      if (given.answer === "defer") deferred ??= call;
      return given;
    });
    asked.set(id, { what, ruling });
    return ruling;
  };
  return {
    rule,
    answer: async (hook) => {
      const [id, tool] = [textAt(hook, "tool_use_id") ?? "", textAt(hook, "tool_name") ?? ""];
      return decisionOf(await rule({ id, tool, input: objectAt(hook, "tool_input") }, textAt(hook, "cwd") ?? cwd));
    },
    permit: (request) => {
      const [tool, input] = [textAt(request, "tool_name") ?? "", objectAt(request, "input")];
      if (allowed.get(textAt(request, "tool_use_id") ?? "") === whatOf(tool, input))
        return { behavior: "allow", updatedInput: input };
      return { behavior: "deny", message: "It was not allowed." };
    },
    hasAllowed: (id) => allowed.has(id),
    deferred: () => deferred,
  };
}

/** A call may hold a whole file, and is remembered as long as the talk lasts. */
function whatOf(tool: string, input: JsonObject): string {
  return sha256(canonical([tool, input]));
}

async function ask(host: AgentHost, call: ToolCall): Promise<Ruling> {
  host.onEvent({ type: "tool_request", call });
  return host.decide(call);
}

function decisionOf(ruling: Ruling): JsonObject {
  const why = ruling.answer === "allow" ? {} : { permissionDecisionReason: ruling.why };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: ruling.answer, ...why } };
}
