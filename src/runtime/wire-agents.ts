/** The part of the composition root that names the agent backends. The code of one is loaded with its first use. */
import {
  ACP_SIGNATURE,
  GEMINI_SIGNATURE,
  GROK_SIGNATURE,
  OPENCODE_SIGNATURE,
} from "../adapters/agents/acp/signatures.ts";
import { CLAUDE } from "../adapters/agents/claude/signature.ts";
import { CODEX } from "../adapters/agents/codex/signature.ts";
import { COMMAND } from "../adapters/agents/command/signature.ts";
import type { ProgramPlace } from "../adapters/agents/model/backend.ts";
import { MODEL, PLAN } from "../adapters/agents/model/signature.ts";
import { SCRIPTED } from "../adapters/agents/scripted/signature.ts";
import { randomBytes } from "../adapters/system/random.ts";
import type { AgentSignature } from "../plan/agents/agent-signature.ts";
import type { AgentBackend, AgentBackends } from "../ports/agents/agent-backend.ts";
import type { OpenHostTools } from "../ports/agents/host-tools.ts";
import { type AgentEntry, createAgentBackends } from "./agents/registry.ts";
import type { Config } from "./config.ts";
import type { LateParts } from "./late/late-parts.ts";
import type { McpParts } from "./mcp/mcp-actions.ts";

/** One entry for each backend: what it says of itself, and where its code is. */
export function agentBackends(root: string, { executor, mcp }: LateParts, { path, models }: Config): AgentBackends {
  const nodeProgram = process.execPath;
  const programs = { executor, root, path, nodeProgram };
  const harness = async () => ({ executor, root, ...(await import("./agents/package-folder.ts")).harnessProgram() });
  const acp = (signature: AgentSignature, name: "gemini" | "opencode" | "grok" | "acp"): AgentEntry => ({
    signature,
    load: async () => (await import("../adapters/agents/acp/backend.ts")).createAcpBackend(name, programs),
  });
  return createAgentBackends([
    {
      signature: SCRIPTED,
      load: async () =>
        (await import("../adapters/agents/scripted/scripted-agent.ts")).createScriptedAgent({ executor, nodeProgram }),
    },
    {
      signature: COMMAND,
      load: async () => (await import("../adapters/agents/command/command-agent.ts")).createCommandAgent({ executor }),
    },
    {
      signature: CLAUDE,
      load: async () =>
        (await import("../adapters/agents/claude/claude-agent.ts")).createClaudeAgent({ executor, root, path }),
    },
    {
      signature: CODEX,
      load: async () => (await import("../adapters/agents/codex/backend.ts")).createCodexBackend(programs),
    },
    { signature: MODEL, load: async () => loadModelBackend(await harness(), models, mcp) },
    {
      signature: PLAN,
      load: async () => (await import("../adapters/agents/model/plan-backend.ts")).createPlanBackend(await harness()),
    },
    acp(GEMINI_SIGNATURE, "gemini"),
    acp(OPENCODE_SIGNATURE, "opencode"),
    acp(GROK_SIGNATURE, "grok"),
    acp(ACP_SIGNATURE, "acp"),
  ]);
}

async function loadModelBackend(
  place: ProgramPlace,
  models: Config["models"],
  mcp: McpParts["mcp"],
): Promise<AgentBackend> {
  const { root, executor } = place;
  const { openHostTools } = await import("./mcp/mcp-actions.ts");
  const { createModelBackend } = await import("../adapters/agents/model/backend.ts");
  const { loadRoutes } = await import("./models/routes.ts");
  const tiers = async () => (await loadRoutes(root, models.routesFile)).tiers;
  const servers: OpenHostTools = (names) => openHostTools({ root, mcp, executor, randomBytes }, names);
  return createModelBackend({ ...place, tiers, openHostTools: servers });
}
