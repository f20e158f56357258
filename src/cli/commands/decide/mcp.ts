import { pawlError } from "../../../base/errors.ts";
import type { JsonValue } from "../../../base/json.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderMcpServers, renderPinned } from "../../views/models/mcp.ts";

export const mcpCommand: CommandSpec = {
  name: "mcp",
  summary: "Show the MCP servers of the project, or accept one and its tools",
  details: [
    "Servers are declared in `mcp` of pawl.yaml. `list` shows each with its tools as they were accepted; it starts none.",
    "`pin` starts one behind the wall, takes down how it is declared and every tool with its schema, and accepts that. When either differs later, the tools stop with a code that says so, until somebody pins it again.",
    "Only a person pins: it is refused from within a stage.",
  ],
  arguments: [
    { name: "what", summary: "list or pin", required: true },
    { name: "server", summary: "with pin: the name of the server", required: false },
  ],
  options: [],
  examples: [
    { line: "pawl mcp list", does: "every server, whether it was accepted, and its tools" },
    { line: "pawl mcp pin search", does: "accept the server `search` as it is now" },
    { line: "pawl mcp list --json | jq '.servers[] | select(.problem)'", does: "those that wait for somebody" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const what = context.given.text("what");
    const server = context.given.text("server");
    if (what === "list" && server === undefined) return list(context);
    if (what === "pin" && server !== undefined) return pin(context, server);
    const message = "Say `list`, or `pin` and the name of a server.";
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "mcp", message });
  },
};

async function list(context: Context): Promise<ExitCode> {
  const { out } = context;
  const runtime = await context.open({ readOnly: true });
  const servers = await runtime.mcpServers();
  if (out.format === "json") out.document({ servers: servers as unknown as JsonValue });
  else for (const line of renderMcpServers(servers, out.paint)) out.line(line);
  return EXIT.succeeded;
}

async function pin(context: Context, server: string): Promise<ExitCode> {
  const { out, by } = context;
  if (context.isInStage) throw pawlError(CLI_ERRORS, "CLI_MCP_PIN_REFUSED", { server, by });
  const runtime = await context.open({ readOnly: false });
  const pinned = await runtime.pinMcp(server, by);
  if (out.format === "json") out.document({ pin: pinned.pin as unknown as JsonValue, changes: pinned.changes });
  else for (const line of renderPinned(pinned, out.paint)) out.line(line);
  return EXIT.succeeded;
}
