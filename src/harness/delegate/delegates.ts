/** Agents and skills that an agent may delegate to, as tools. What a child does is ruled on in the child. */
import type { JsonObject } from "../../base/json.ts";
import type { Agent } from "../agent.ts";
import type { Tool } from "../tools/tool.ts";

const INPUT: JsonObject = {
  type: "object",
  properties: { task: { type: "string", description: "What it shall do, with all it needs to know." } },
  required: ["task"],
  additionalProperties: false,
};

const NAME = /^(?:agent|skill)__[a-z0-9_]+$/;

/** `x` becomes `agent__x`; a name that says which it is stays. */
export function targetName(name: string): string {
  return NAME.test(name) ? name : `agent__${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
}

export function delegateTools(delegates: Readonly<Record<string, Agent>>): readonly Tool[] {
  return Object.entries(delegates).map(([name, agent]) => delegateTool(targetName(name), agent));
}

function delegateTool(target: string, agent: Agent): Tool {
  return {
    name: target,
    summary: agent.summary ?? `Gives a task to ${agent.name ?? target} and waits for its answer.`,
    input: INPUT,
    risk: "low",
    timeout: "long",
    // The child has a journal of its own: what it has done is not undone by doing it again.
    idempotent: false,
    requests: () => [],
    async run(input, { dispatch, signal }) {
      if (dispatch === undefined) return { ok: false, error: "nothing can be delegated here" };
      return dispatch(target, input, signal);
    },
  };
}
