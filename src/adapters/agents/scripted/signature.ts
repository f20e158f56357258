/** What a scripted agent says of itself. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";

export const SCRIPTED: AgentSignature = {
  name: "scripted",
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
    callsModels: false,
  },
  ignores: ["model", "skills", "context"],
  settings: { script: { required: true, summary: "the file that says what it does." } },
};
