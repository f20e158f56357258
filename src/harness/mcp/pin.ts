/** What is pinned of an MCP server: its declaration and its tools, each by digest. Any difference is a change, however small. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";
import type { McpPin, McpTool } from "../../ports/agents/mcp-servers.ts";

const MOST_NAMED = 5;

/** Of how it is started. Which of its tools are used, and for how long, is no other server. */
export function declarationOf({ name, argv, env, network, memoryBytes }: McpServerSpec): string {
  return sha256(canonical({ name, argv, env, network, memoryBytes }));
}

export function digestOfTools(tools: readonly McpTool[]): string {
  return sha256(canonical(sorted(tools).map(asJson)));
}

export function makePin(
  server: McpServerSpec,
  tools: readonly McpTool[],
  { by, at }: Pick<McpPin, "by" | "at">,
): McpPin {
  const digest = digestOfTools(tools);
  return { server: server.name, declaration: declarationOf(server), tools: sorted(tools), digest, by, at };
}

/** How the tools differ from those that were accepted, for people; null: not at all. */
export function changesSince(pin: McpPin, tools: readonly McpTool[]): string | null {
  if (digestOfTools(tools) === pin.digest) return null;
  const before = new Map(pin.tools.map((tool) => [tool.name, canonical(asJson(tool))]));
  const now = new Map(tools.map((tool) => [tool.name, canonical(asJson(tool))]));
  const parts = [
    told(
      "new",
      [...now.keys()].filter((name) => !before.has(name)),
    ),
    told(
      "gone",
      [...before.keys()].filter((name) => !now.has(name)),
    ),
    told(
      "changed",
      [...now.keys()].filter((name) => before.has(name) && before.get(name) !== now.get(name)),
    ),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "two of them have one name" : parts.join("; ");
}

function told(word: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, MOST_NAMED).map((name) => visibleLine(name, 80));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return `${word}: ${shown.join(", ")}${more}`;
}

function sorted(tools: readonly McpTool[]): readonly McpTool[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function asJson({ name, description, input, output }: McpTool): JsonObject {
  return { name, description, input, output };
}
