/** What Claude Code says of itself. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";

export const CLAUDE: AgentSignature = {
  name: "claude",
  capabilities: {
    oversight: {
      read: "mediated",
      edit: "mediated",
      run: "mediated",
      fetch: "mediated",
      mcp: "mediated",
      tool: "mediated",
    },
    resume: true,
    defer: true,
    structuredOutput: true,
    reportsUsage: true,
    callsModels: true,
  },
};
