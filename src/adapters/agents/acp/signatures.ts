/** What agents that speak ACP say of themselves: for those that we know, as it was measured; of any other nothing is known. */
import type { AgentSignature, Oversight } from "../../../plan/agents/agent-signature.ts";

type Powers = AgentSignature["capabilities"]["oversight"];

const CONTAINED: Oversight = "contained";

/** `reportsUsage`: the figure it gives is that of the whole attempt. */
function signature(name: string, oversight: Powers, reportsUsage: boolean, resume = true): AgentSignature {
  const capabilities = {
    oversight,
    resume,
    defer: false,
    structuredOutput: false,
    reportsUsage,
    callsModels: true,
  };
  return { name, capabilities };
}

/** It reads, lists and searches inside the workspace without asking. Of a turn that is cut off early it keeps nothing. */
export const GEMINI_SIGNATURE = signature(
  "gemini",
  { read: "observed", edit: "mediated", run: "mediated", fetch: "mediated", mcp: CONTAINED, tool: "observed" },
  true,
  false,
);

/** It asks about every tool. What it tells of its usage is the last step alone. */
export const OPENCODE_SIGNATURE = signature(
  "opencode",
  { read: "mediated", edit: "mediated", run: "mediated", fetch: "mediated", mcp: "mediated", tool: "mediated" },
  false,
);

/** It asks before it changes a file; commands that it takes for harmless it runs at once. It leaves out calls for titles. */
export const GROK_SIGNATURE = signature(
  "grok",
  { read: "observed", edit: "mediated", run: "observed", fetch: "observed", mcp: CONTAINED, tool: "observed" },
  false,
);

/** What it asks is ruled on like everything else; what it does not ask, nobody knows. */
export const ACP_SIGNATURE: AgentSignature = {
  ...signature(
    "acp",
    { read: CONTAINED, edit: CONTAINED, run: CONTAINED, fetch: CONTAINED, mcp: CONTAINED, tool: CONTAINED },
    false,
  ),
  settings: { run: { required: true, summary: "the program that speaks ACP, and its arguments." } },
};
