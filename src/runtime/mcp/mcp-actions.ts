/** What people and programs can do with MCP servers: look at them, accept them, use their tools. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { formatRunId, type RunId } from "../../base/ids.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";
import { acceptedPin, createMcpToolset, type McpToolset } from "../../harness/mcp/mcp-tools.ts";
import { changesSince, makePin } from "../../harness/mcp/pin.ts";
import type { HostTools } from "../../ports/agents/host-tools.ts";
import { MCP_ERRORS } from "../../ports/agents/mcp-errors.ts";
import type { McpPin, McpPins, McpServers } from "../../ports/agents/mcp-servers.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SweepParts } from "../sweep.ts";
import { loadMcp } from "./load-mcp.ts";

export interface McpServerView {
  readonly server: McpServerSpec;
  /** What was accepted; null: nothing. */
  readonly pin: McpPin | null;
  /** Why its tools cannot be used now; null: they can. */
  readonly problem: { readonly code: string; readonly what: string; readonly hint: string } | null;
}

export interface McpPinned {
  readonly pin: McpPin;
  /** How it differs from what was accepted before; null: nothing was, or nothing does. */
  readonly changes: string | null;
}

export interface McpParts {
  readonly root: string;
  readonly mcp: { readonly servers: McpServers; readonly pins: McpPins };
  readonly executor: SweepParts["executor"];
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
  prepareState(): Promise<void>;
}

export interface McpActions {
  /** Those that pawl.yaml declares. Starts none. */
  mcpServers(): Promise<readonly McpServerView[]>;
  /** Starts the server, takes down what it is and offers, and accepts that in the name of a person. Rejects with MCP_*. */
  pinMcp(server: string, by: string): Promise<McpPinned>;
  /** The tools of these servers, or of all; none is started before its first call. Rejects with MCP_*. */
  mcpTools(servers?: readonly string[]): Promise<McpToolset>;
}

const RUN_BYTES = 12;

export function createMcpActions(parts: McpParts): McpActions {
  const { root, mcp, executor, clock } = parts;
  const newRun = (): RunId => formatRunId(parts.randomBytes(RUN_BYTES));
  return {
    mcpServers: async () => Promise.all((await loadMcp(root)).map((server) => viewOf(server, mcp.pins))),
    async pinMcp(name, by) {
      const [server] = chosen(await loadMcp(root), [name]) as [McpServerSpec];
      const run = newRun();
      const session = await mcp.servers.open(server, run, new AbortController().signal);
      try {
        const before = await mcp.pins.read(name).catch(() => null);
        const pin = makePin(server, session.tools, { by, at: clock.now() });
        await parts.prepareState();
        await mcp.pins.write(pin);
        return { pin, changes: before === null ? null : changesSince(before, session.tools) };
      } finally {
        await session.close();
        await executor.leave(run);
      }
    },
    mcpTools: (names) => openMcpTools(parts, names),
  };
}

/** Rejects with MCP_*. */
export async function openMcpTools(
  { root, mcp, executor, randomBytes }: Pick<McpParts, "root" | "mcp" | "executor" | "randomBytes">,
  names: readonly string[] | undefined,
): Promise<McpToolset> {
  const run = formatRunId(randomBytes(RUN_BYTES));
  const toolset = await createMcpToolset(chosen(await loadMcp(root), names), { ...mcp, run });
  const close = async (): Promise<void> => {
    await toolset.close();
    await executor.leave(run);
  };
  return { ...toolset, close };
}

/** The same tools for an agent behind a wall: what it asks for, and we allow, is called here. */
export async function openHostTools(
  parts: Parameters<typeof openMcpTools>[0],
  servers: readonly string[],
): Promise<HostTools> {
  const { tools, call, close } = await openMcpTools(parts, servers);
  const shown = tools.flatMap(({ name, summary, input, requests }) =>
    requests({}).map((request) => ({ name, summary, input, request })),
  );
  const answer: HostTools["call"] = async (tool, input, signal) => {
    try {
      return await call(tool, input, signal);
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  };
  return { tools: shown, call: answer, close };
}

function chosen(all: readonly McpServerSpec[], names: readonly string[] | undefined): readonly McpServerSpec[] {
  if (names === undefined) return all;
  return names.map((name) => {
    const found = all.find((server) => server.name === name);
    const known = all.map((server) => server.name).join(", ") || "none";
    if (found === undefined) throw pawlError(MCP_ERRORS, "MCP_SERVER_UNKNOWN", { server: name, known });
    return found;
  });
}

async function viewOf(server: McpServerSpec, pins: McpPins): Promise<McpServerView> {
  const pin = await pins.read(server.name).catch(() => null);
  try {
    return { server, pin: await acceptedPin(server, pins), problem: null };
  } catch (error) {
    const [problem] = isPawlError(error) ? error.problems : [];
    if (problem === undefined) throw error;
    const { code, what, hint } = problem;
    return { server, pin, problem: { code, what, hint } };
  }
}
