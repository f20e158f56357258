/** The MCP servers that pawl.yaml declares, at the root of the project on this machine: no workspace can add one. */
import { PawlError } from "../../base/errors.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";
import { parseRepositoryMcp } from "../../blueprint/mcp/parse-mcp.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";

/** Throws every problem of the file. */
export async function loadMcp(root: string): Promise<readonly McpServerSpec[]> {
  const text = await readPolicyText(projectPlace(root));
  if (!text.ok) throw new PawlError(text.problems);
  const parsed = parseRepositoryMcp(text.value ?? "", "pawl.yaml");
  if (!parsed.ok) throw new PawlError(parsed.problems);
  return parsed.value;
}
