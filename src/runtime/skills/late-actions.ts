/** Skills, MCP servers and doctor: loaded with their first use, for most commands and most runs need none of them. */
import type { Store } from "../../ports/store/store.ts";
import type { Examined } from "../doctor.ts";
import type { McpActions, McpParts } from "../mcp/mcp-actions.ts";
import type { Runtime } from "../runtime.ts";
import type { SkillActions, SkillParts } from "./skill-actions.ts";

export interface LateParts extends McpParts, SkillParts {
  /** Providers of models that there is a key for. */
  modelKeys(): Promise<ReadonlySet<string>>;
}
type LateActions = McpActions & SkillActions & Pick<Runtime, "doctor" | "agentsHere" | "requireAgents">;

export function createLateActions(
  parts: LateParts & Examined,
  open: () => Promise<{ readonly store: Store }>,
  { compile, earned }: Pick<Runtime, "compile" | "earned">,
): LateActions {
  const mcp = async (): Promise<McpActions> => (await import("../mcp/mcp-actions.ts")).createMcpActions(parts);
  const skills = async (): Promise<SkillActions> =>
    (await import("./skill-actions.ts")).createSkillActions(parts, open);
  return {
    mcpServers: async () => (await mcp()).mcpServers(),
    pinMcp: async (server, by) => (await mcp()).pinMcp(server, by),
    mcpTools: async (servers) => (await mcp()).mcpTools(servers),
    skills: async () => (await skills()).skills(),
    contextPack: async (options) => (await skills()).contextPack(options),
    openSkills: async (options) => (await skills()).openSkills(options),
    async doctor() {
      const { examine, standingsOf } = await import("../doctor.ts");
      const { keysCheck } = await import("../models/keys-check.ts");
      const { setUpChecks } = await import("./set-up-checks.ts");
      const { loopChecks } = await import("../audit/loop-checks.ts");
      const { projectChecks } = await import("../loops/check-project.ts");
      return [
        ...(await examine(parts, open)),
        await keysCheck(parts.modelKeys),
        ...(await setUpChecks({ ...(await mcp()), ...(await skills()) })),
        ...(await projectChecks({
          ...parts,
          ...{ compile, earned },
          now: parts.clock.now(),
          standings: () => standingsOf(parts),
        })),
        ...(await loopChecks(parts.root, parts.clock.now())),
      ];
    },
    async agentsHere() {
      const { agentsHere } = await import("../agents/agents-here.ts");
      return agentsHere(parts.agents, parts.modelKeys);
    },
    async requireAgents(plan) {
      await (await import("../agents/missing-agents.ts")).requireAgents(parts.agents, plan);
    },
  };
}
