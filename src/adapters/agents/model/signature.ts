/** What the built-in harness says of itself: it does nothing without a ruling. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";

const MEDIATED = "mediated";

export const MODEL: AgentSignature = {
  name: "model",
  capabilities: {
    oversight: { read: MEDIATED, edit: MEDIATED, run: MEDIATED, fetch: MEDIATED, mcp: MEDIATED, tool: MEDIATED },
    resume: true,
    defer: true,
    structuredOutput: true,
    reportsUsage: true,
    callsModels: true,
  },
};
