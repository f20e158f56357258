/** The door of a plan to the tools of its parent: the same toolbox, the same hooks, the same policy. */
import type { JsonValue } from "../../base/json.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import { createHookedToolbox } from "../hooks/hooked-toolbox.ts";
import type { Hooks } from "../ports.ts";
import type { ToolCode, ToolOutcome } from "../tools/outcome.ts";
import type { ToolboxOptions } from "../tools/toolbox.ts";
import type { CallDoor, CallEnd, CallEnding } from "./run-step.ts";

export interface DoorOptions extends ToolboxOptions {
  readonly hooks?: Hooks;
  /** What a tool itself knows of the end of a call beyond its words; undefined: nothing. */
  readonly endOf?: (callId: string) => Pick<CallEnd, "ending" | "code"> | undefined;
}

const ENDINGS: Partial<Readonly<Record<ToolCode, CallEnding>>> = {
  TOOL_UNKNOWN: "denied",
  TOOL_OUTSIDE_SET: "denied",
  TOOL_CALLER_REFUSED: "denied",
  TOOL_DENIED: "denied",
  TOOL_DEFERRED: "approval_required",
  TOOL_INPUT_INVALID: "invalid_input",
  TOOL_TIMED_OUT: "timeout",
  TOOL_CANCELLED: "cancelled",
};

export interface Door {
  readonly call: CallDoor;
  /** Names of all that can be called. */
  readonly tools: ReadonlySet<string>;
}

/** Throws what `createToolbox` throws. */
export function createCallDoor(options: DoorOptions): Door {
  const tiers = new Map<string, string>();
  const decide = (call: ToolCall): Promise<Ruling> => {
    const tier = tiers.get(call.id.split("/")[0] as string);
    if (tier === undefined) return options.decide(call);
    return options.decide({ ...call, requests: call.requests.map((request) => ({ ...request, tier })) });
  };
  const toolbox = createHookedToolbox({ ...options, decide }, options.hooks);
  let count = 0;

  const call: CallDoor = async ({ id: step, tool, input, tier }, signal) => {
    count += 1;
    const id = `${step}:${count}`;
    if (tier !== null) tiers.set(id, tier);
    const outcome = await toolbox.call({ id, tool, input, key: `${options.run}:${id}` }, signal);
    tiers.delete(id);
    if (outcome.status === "success") return ended("ok", null, outcome);
    if (toolbox.refusedByHook(id) !== undefined) return ended("hook_denied", "HOOK_DENIED", outcome);
    const known = outcome.code === "TOOL_FAILED" ? options.endOf?.(id) : undefined;
    return ended(known?.ending ?? ENDINGS[outcome.code] ?? "error", known?.code ?? outcome.code, outcome);
  };
  return { call, tools: new Set(toolbox.tools.map(({ name }) => name)) };
}

function ended(ending: CallEnding, code: string | null, outcome: ToolOutcome): CallEnd {
  const output: JsonValue | null = outcome.status === "success" ? outcome.output : null;
  return { ending, output, code, error: outcome.status === "success" ? null : outcome.error };
}
