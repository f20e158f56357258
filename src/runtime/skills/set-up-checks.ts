/** What doctor says of skills and MCP servers: what is set up, and why the rest cannot be used. */
import { isPawlError } from "../../base/errors.ts";
import type { McpActions } from "../mcp/mcp-actions.ts";
import type { DoctorCheck } from "../runtime.ts";
import type { SkillActions } from "./skill-actions.ts";

export async function setUpChecks(
  parts: Pick<SkillActions, "skills"> & Pick<McpActions, "mcpServers">,
): Promise<readonly DoctorCheck[]> {
  return [await skillsCheck(parts.skills), await mcpCheck(parts.mcpServers)];
}

async function skillsCheck(load: SkillActions["skills"]): Promise<DoctorCheck> {
  const { skills, warnings } = await load();
  const [first] = warnings;
  const detail = skills.map(({ id, version }) => `${id}@${version}`).join(", ");
  if (first === undefined) return { name: "skills", status: "ok", detail, hint: null };
  const { where, what, hint } = first;
  const more = warnings.length === 1 ? "" : ` (and ${warnings.length - 1} more)`;
  return { name: "skills", status: "warn", detail: `${where?.file}:${where?.line} ${what}${more}`, hint };
}

async function mcpCheck(list: McpActions["mcpServers"]): Promise<DoctorCheck> {
  const name = "mcp";
  try {
    const servers = await list();
    const problem = servers.map((server) => server.problem).find((one) => one !== null);
    if (problem !== undefined && problem !== null)
      return { name, status: "warn", detail: problem.what, hint: problem.hint };
    const detail = servers.map(({ server }) => server.name).join(", ") || "no servers are declared";
    return { name, status: "ok", detail, hint: null };
  } catch (error) {
    const [problem] = isPawlError(error) ? error.problems : [];
    if (problem === undefined) throw error;
    const place = problem.where === undefined ? "" : `${problem.where.file}:${problem.where.line} `;
    return { name, status: "fail", detail: `${place}${problem.what}`, hint: problem.hint };
  }
}
