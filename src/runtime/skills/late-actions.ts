/** Skills, MCP servers and doctor: loaded with their first use, for most commands and most runs need none of them. */
import type { Store } from "../../ports/store/store.ts";
import type { Examined } from "../doctor.ts";
import type { McpActions, McpParts } from "../mcp/mcp-actions.ts";
import type { Runtime } from "../runtime.ts";
import type { SkillActions, SkillParts } from "./skill-actions.ts";

export interface LateParts extends McpParts, SkillParts {}
type LateActions = McpActions & SkillActions & Pick<Runtime, "doctor">;

export function createLateActions(
  parts: LateParts & Examined,
  open: () => Promise<{ readonly store: Store }>,
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
      const { examine } = await import("../doctor.ts");
      const { setUpChecks } = await import("./set-up-checks.ts");
      return [...(await examine(parts, open)), ...(await setUpChecks({ ...(await mcp()), ...(await skills()) }))];
    },
  };
}
