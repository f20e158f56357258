/** The door of a plan to the tools of its parent: the same toolbox, the same hooks, the same policy. */

import type { JsonValue } from "../../base/json.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import { createHookedToolbox } from "../hooks/hooked-toolbox.ts";
import { inTime, orAborted } from "../patience.ts";
import type { Hooks } from "../ports.ts";
import type { ToolCode, ToolOutcome } from "../tools/outcome.ts";
import type { ToolboxOptions } from "../tools/toolbox.ts";
import type { CallDoor, CallEnd, CallEnding } from "./run-step.ts";

export interface DoorOptions extends Omit<ToolboxOptions, "decide"> {
  /** `signal`: of the call; who does not answer before it aborts has said no. */
  decide(call: ToolCall, signal: AbortSignal): Promise<Ruling>;
  readonly hooks?: Hooks;
  /** What the run around it says of a call; it never has more powers than that. */
  readonly above?: (call: ToolCall) => Promise<Ruling>;
  /** The run around it hears of each call that was made or denied. */
  readonly tellAbove?: NonNullable<Hooks["postTool"]>;
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

/** A call while it is under way. */
interface Under {
  /** How dangerous the plan takes it for. */
  readonly tier: string | null;
  readonly signal: AbortSignal;
}

/** Throws what `createToolbox` throws. */
export function createCallDoor(options: DoorOptions): Door {
  const calls = new Map<string, Under>();
  // A part of a call is known by its beginning.
  const under = ({ id }: ToolCall): Under => calls.get(id.split("/")[0] as string) as Under;
  const decide = (call: ToolCall): Promise<Ruling> => {
    const { tier, signal } = under(call);
    return orAborted(options.decide(tier === null ? call : alsoAs(tier, call), signal), signal);
  };
  const hooks = options.hooks === undefined ? undefined : inTimeOf(options.hooks, (call) => under(call).signal);
  const toolbox = createHookedToolbox({ ...options, ...aboveInTime(options, under), decide }, hooks);
  let count = 0;

  const call: CallDoor = async ({ id: step, tool, input, tier }, signal) => {
    count += 1;
    const id = `${step}:${count}`;
    calls.set(id, { tier, signal });
    const outcome = await toolbox.call({ id, tool, input, key: `${options.run}:${id}` }, signal);
    calls.delete(id);
    if (outcome.status === "success") return ended("ok", null, outcome);
    if (toolbox.refusedByHook(id) !== undefined) return ended("hook_denied", "HOOK_DENIED", outcome);
    const known = outcome.code === "TOOL_FAILED" ? options.endOf?.(id) : undefined;
    return ended(known?.ending ?? ENDINGS[outcome.code] ?? "error", known?.code ?? outcome.code, outcome);
  };
  return { call, tools: new Set(toolbox.tools.map(({ name }) => name)) };
}

/** What a plan says of itself adds to what is known of the tool, and takes nothing away: all of it must be allowed. */
function alsoAs(tier: string, call: ToolCall): ToolCall {
  return { ...call, requests: [...call.requests, ...call.requests.map((request) => ({ ...request, tier }))] };
}

/** A hook is waited for as long as its call may take. */
function inTimeOf(hooks: Hooks, signalOf: (call: ToolCall) => AbortSignal): Pick<Hooks, "preTool" | "postTool"> {
  return {
    preTool: (call) => inTime(hooks.preTool?.(call), signalOf(call)),
    postTool: (call, result) => inTime(hooks.postTool?.(call, result), signalOf(call)),
  };
}

/** So is the run around it. */
function aboveInTime(
  { above, tellAbove }: Pick<DoorOptions, "above" | "tellAbove">,
  under: (call: ToolCall) => Under,
): Pick<DoorOptions, "above" | "tellAbove"> {
  return {
    ...(above && { above: (call) => orAborted(above(call), under(call).signal) }),
    ...(tellAbove && { tellAbove: (call, result) => inTime(tellAbove(call, result), under(call).signal) }),
  };
}

function ended(ending: CallEnding, code: string | null, outcome: ToolOutcome): CallEnd {
  const output: JsonValue | null = outcome.status === "success" ? outcome.output : null;
  return { ending, output, code, error: outcome.status === "success" ? null : outcome.error };
}
