import type { AgentAccess } from "../../ports/agents/agent-access.ts";
import type { Trees } from "../../ports/trees.ts";

/** A change as a checker is shown it. */
export function patchOf({ diff }: Pick<Trees, "diff">): AgentAccess["patch"] {
  return async (from, to, maxBytes) => {
    const { patch, truncated } = await diff(from, to, maxBytes);
    const text = new TextDecoder().decode(patch);
    return truncated ? `${text}\n[the change is longer than this]` : text;
  };
}
