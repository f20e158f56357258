/** Where calls go in: hooks, policy and, where policy leaves it to one, a person rule on each before it runs. */
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import { quietly } from "../journal/chronicle.ts";
import { inTime } from "../patience.ts";
import type { ToolOutcome } from "../tools/outcome.ts";
import { createToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolModels, ToolRisk } from "../tools/tool.ts";
import { createToolbox, type ToolInvocation } from "../tools/toolbox.ts";
import { findToolset } from "../tools/toolsets.ts";
import { denialOf } from "./hooks.ts";
import type { Desk, Session } from "./session.ts";

/** Throws TOOL_… and TOOLSET_… for tools that cannot be given to this agent. */
export function createDesk(session: Session, tools: readonly Tool[], models: ToolModels): Desk {
  const { agent, ports, chronicle, run, dispatch, attachments } = session;
  const registry = createToolRegistry(tools);
  let current: (ToolInvocation & { readonly seq: number }) | null = null;
  let asked: ToolCall | null = null;
  let lost: { readonly error: unknown } | null = null;

  const isOnce = (tool: string): boolean => registry.get(tool)?.tool.idempotent !== true;

  const toolbox = createToolbox({
    ...{ registry, run, models, dispatch },
    ...(ports.artifacts === undefined ? {} : { artifacts: ports.artifacts }),
    ...(ports.callers === undefined ? {} : { callers: ports.callers }),
    root: tools.length === 0 ? "/" : session.root(),
    toolset: typeof agent.toolset === "string" ? findToolset(agent.toolset) : (agent.toolset ?? null),
    holder: {
      name: agent.name ?? "agent",
      author: agent.author ?? "anyone",
      visibility: agent.visibility ?? "private",
    },
    attach: attachments.attach,
    decide(call) {
      if (call.id === current?.id) asked = call;
      return ruleOn(session, call, registry.get(call.tool)?.tool.risk ?? "high");
    },
    async emit(event) {
      if (event.type !== "tool.requested" || current === null) return;
      quietly(() => ports.observer?.onCall?.(event.call));
      if (!isOnce(event.call.tool)) return;
      const { seq, id, tool, key } = current;
      try {
        await chronicle.write({ type: "call.intended", seq, id, tool, key }, true);
      } catch (error) {
        lost = { error };
        throw error;
      }
    },
  });

  return {
    tools: toolbox.tools,
    find: (name) => registry.get(name)?.tool,
    asked: () => asked,
    async call(invocation, signal): Promise<ToolOutcome> {
      current = invocation;
      asked = null;
      const outcome = await toolbox.call(invocation, signal);
      // A store that fails is no matter for the model.
      if (lost !== null) throw lost.error;
      return outcome;
    },
  };
}

export async function ruleOn({ ports, policy, halt }: Session, call: ToolCall, risk: ToolRisk): Promise<Ruling> {
  const denied = await denialOf(() => ports.hooks?.preTool?.(call), halt.signal);
  if (denied !== null) return { answer: "deny", why: denied };
  const ruling = await inTime(policy.decide(call, risk), halt.signal);
  if (ruling.answer !== "defer") return ruling;
  if (call.isPart === true) return { answer: "deny", why: ruling.why };
  const { approvals } = ports;
  if (approvals === undefined) return { answer: "deny", why: `${ruling.why}, and there is nobody to ask` };
  const answer = await inTime(approvals.ask(call, ruling.why, halt.signal), halt.signal);
  if (answer === "allow") return { answer: "allow" };
  return answer === "later" ? ruling : { answer: "deny", why: `${ruling.why}, and it was denied` };
}
