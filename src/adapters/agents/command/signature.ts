/** What any command says of itself: nothing, so that only the wall bounds it. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";

export const COMMAND: AgentSignature = {
  name: "command",
  capabilities: {
    oversight: {
      read: "contained",
      edit: "contained",
      run: "contained",
      fetch: "contained",
      mcp: "contained",
      tool: "contained",
    },
    resume: true,
    defer: false,
    structuredOutput: false,
    reportsUsage: true,
    callsModels: false,
  },
  settings: { run: { required: true, summary: "the program and its arguments, or text for a shell." } },
};
