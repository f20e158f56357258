/** What the built-in harness says of itself, with a model and without: it does nothing without a ruling. */
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
  settings: {
    mcp: { required: false, summary: "names of MCP servers of pawl.yaml whose tools it may call, as a list." },
  },
};

/** What executes an ExecutionPlan: no model, and nothing without a ruling. */
export const PLAN: AgentSignature = {
  name: "plan",
  capabilities: {
    oversight: MODEL.capabilities.oversight,
    resume: false,
    defer: false,
    structuredOutput: true,
    reportsUsage: false,
    callsModels: false,
  },
  ignores: ["model", "max_turns", "skills", "context"],
  settings: { plan: { required: true, summary: "the ExecutionPlan, as a map." } },
};
