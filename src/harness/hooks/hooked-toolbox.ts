/**
 * A toolbox whose every call passes the hooks: after policy and before the tool, and again before the answer. There is no other way to a tool, so
 * a plan passes the same ones as an agent. A hook that throws before a call has not allowed it; afterwards it is only told.
 */
import { visibleLine } from "../../base/visible.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { Hooks } from "../ports.ts";
import type { ToolEvent } from "../tools/outcome.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "../tools/toolbox.ts";

export interface HookedToolbox extends Toolbox {
  /** Why a hook has refused the call; undefined: none has. */
  refusedByHook(id: string): string | undefined;
}

export interface HookedOptions extends ToolboxOptions {
  /** Asked last: whoever is above the one that calls. */
  readonly above?: (call: ToolCall) => Promise<Ruling>;
  /** Told last of a call that was made or denied: whoever is above the one that calls. */
  readonly tellAbove?: NonNullable<Hooks["postTool"]>;
}

export function createHookedToolbox(options: HookedOptions, hooks: Hooks | undefined): HookedToolbox {
  const refused = new Map<string, string>();
  const under = new Map<string, ToolCall>();

  const decide = async (call: ToolCall): Promise<Ruling> => {
    if (call.isPart !== true) under.set(call.id, call);
    const ruling = await options.decide(call);
    // Nobody is bothered about what is denied anyway.
    if (ruling.answer !== "allow") return ruling;
    const why = await denialOf(hooks, call);
    if (why === null) return options.above?.(call) ?? ruling;
    refused.set(call.id, why);
    return { answer: "deny", why };
  };

  const emit = async (event: ToolEvent): Promise<void> => {
    await options.emit(event);
    if (event.type !== "tool.ended") return;
    const call = under.get(event.id);
    under.delete(event.id);
    const { outcome } = event;
    // What waits for a person has not ended.
    if (call === undefined || outcome.status === "deferred") return;
    const ok = outcome.status === "success";
    const result = { ok, output: ok ? outcome.output : outcome.error };
    await quietly(() => hooks?.postTool?.(call, result));
    await quietly(() => options.tellAbove?.(call, result));
  };

  const toolbox = createToolbox({ ...options, decide, emit });
  return { ...toolbox, refusedByHook: (id) => refused.get(id) };
}

async function denialOf(hooks: Hooks | undefined, call: ToolCall): Promise<string | null> {
  try {
    const answer = await hooks?.preTool?.(call);
    return answer === undefined ? null : answer.deny;
  } catch (error) {
    return visibleLine(`the hook failed: ${error instanceof Error ? error.message : String(error)}`, 500);
  }
}

async function quietly(tell: () => unknown): Promise<void> {
  try {
    await tell();
  } catch {
    return;
  }
}
