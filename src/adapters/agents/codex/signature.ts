/** What Codex says of itself. Its tools are commands and patches, and it asks before each; whatever else it has is switched off. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";

export const CODEX: AgentSignature = {
  name: "codex",
  capabilities: {
    oversight: {
      read: "mediated",
      edit: "mediated",
      run: "mediated",
      fetch: "contained",
      mcp: "contained",
      tool: "contained",
    },
    resume: true,
    defer: false,
    structuredOutput: false,
    reportsUsage: true,
    callsModels: true,
  },
};
