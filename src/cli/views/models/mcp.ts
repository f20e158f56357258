/** MCP servers for people. What a server says of itself is third-party text and stands on one line, escaped. */
import type { McpPinned, McpServerView } from "../../../runtime/mcp/mcp-actions.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { countOf, formatTime } from "../text/format-time.ts";

const SHORT = 12;

export function renderMcpServers(servers: readonly McpServerView[], paint: Paint): readonly string[] {
  if (servers.length === 0) return ["no MCP servers: declare one in `mcp` of pawl.yaml"];
  return servers.flatMap(({ server, pin, problem }) => [
    `${paint.bold(server.name)}  ${problem === null ? paint.green("accepted") : paint.yellow(problem.code)}`,
    `  ${paint.dim("runs")}  ${oneLine(server.argv.join(" "))}`,
    `  ${paint.dim("network")}  ${server.network.join(", ") || "none"}`,
    ...(problem === null ? [] : [`  ${oneLine(problem.what)}`, `  ${oneLine(problem.hint)}`]),
    ...(pin === null ? [] : toolLines(pin, paint)),
  ]);
}

export function renderPinned({ pin, changes }: McpPinned, paint: Paint): readonly string[] {
  return [
    `${paint.bold(pin.server)}  ${paint.green("accepted")}`,
    ...(changes === null ? [] : [`  ${paint.dim("since the last time")}  ${oneLine(changes)}`]),
    ...toolLines(pin, paint),
  ];
}

function toolLines({ tools, digest, by, at }: McpPinned["pin"], paint: Paint): readonly string[] {
  return [
    `  ${paint.dim("tools")}  ${countOf(tools.length, "tool")}, ${digest.slice(0, SHORT)}, by ${oneLine(by)}, ${formatTime(at)} UTC`,
    ...tools.map(({ name, description }) => `    ${oneLine(name)}  ${paint.dim(oneLine(description))}`),
  ];
}
