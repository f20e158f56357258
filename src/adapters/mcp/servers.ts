/** MCP servers as processes behind the wall: they see the project, change nothing in it, and reach only the hosts that are declared. */
import type { Client } from "@modelcontextprotocol/client";
import { pawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";
import { MCP_ERRORS } from "../../ports/agents/mcp-errors.ts";
import type { McpAnswer, McpServers, McpSession, McpTool } from "../../ports/agents/mcp-servers.ts";
import type { Executor, ProcessRequest } from "../../ports/executor.ts";
import { answerOf } from "./answer.ts";
import { createDialogueTransport, type DialogueTransport, type Start } from "./dialogue-transport.ts";

export interface McpServersOptions {
  readonly executor: Pick<Executor, "execute" | "forget">;
  /** How long a server may take until it has told its tools. */
  readonly startMs?: number;
}

const START_MS = 60_000;
/** The client has a time of its own for each question; ours is over first. */
const SLACK_MS = 10_000;
const LONGEST_MS = 24 * 3_600_000;
const MOST_TOOLS = 500;
const MOST_PAGES = 50;
const PROCESSES = 256;
const FILE_BYTES = 1 << 30;
const OUTPUT_BYTES = 256 << 20;

export function createMcpServers({ executor, startMs = START_MS }: McpServersOptions): McpServers {
  return {
    async open(spec, run, signal) {
      const request = requestFor(spec, run);
      const start: Start = async (dialogue, ended) => {
        const report = await executor.execute({ ...request, dialogue }, ended, () => undefined);
        await executor.forget(request);
        return report;
      };
      // One time for all of it: the process, the greeting and every page of its list.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), startMs);
      const transport = createDialogueTransport(start, AbortSignal.any([signal, late.signal]));
      try {
        const client = await createClient();
        await client.connect(transport, { timeout: startMs + SLACK_MS });
        return await sessionOf(spec, client, transport, startMs + SLACK_MS);
      } catch (error) {
        await transport.close();
        const said = transport.problem() ?? messageOf(error);
        const why = late.signal.aborted ? `it has not told its tools within ${startMs / 1000} s` : said;
        const problem = visibleLine(why, 500).replace(/\.$/, "");
        throw pawlError(MCP_ERRORS, "MCP_SERVER_FAILED", { server: spec.name, problem }, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function requestFor(spec: McpServerSpec, run: ProcessRequest["run"]): ProcessRequest {
  const stage = `mcp-${spec.name}`;
  return {
    ...{ run, stage, attempt: 1, key: `${run}:${stage}`, argv: spec.argv, env: Object.fromEntries(spec.env) },
    ...{ folder: null, mounts: [], project: "", cwd: ".", inputs: {}, strip: [], outputs: [], capture: "none" },
    wall: {
      sandbox: "read_only",
      network: spec.network,
      resources: {
        ...{ memoryBytes: spec.memoryBytes, cpuMs: null },
        ...{ processes: PROCESSES, fileBytes: FILE_BYTES, outputBytes: OUTPUT_BYTES },
      },
    },
    timeoutMs: LONGEST_MS,
    stallMs: null,
  };
}

/** It offers a server nothing: no model, no files, no questions to a person. */
async function createClient(): Promise<Client> {
  const sdk = await import("@modelcontextprotocol/client");
  return new sdk.Client(
    { name: "pawl", version: "1" },
    {
      capabilities: {},
      listMaxPages: MOST_PAGES,
      // What a server gives is data for a model. Its own schema proves nothing, and compiling it would run code made from it.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
}

async function sessionOf(
  spec: McpServerSpec,
  client: Client,
  transport: DialogueTransport,
  pageMs: number,
): Promise<McpSession> {
  let changed = false;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    changed = true;
  });
  const { tools } = await client.listTools(undefined, { timeout: pageMs });
  if (tools.length > MOST_TOOLS) throw new Error(`it has ${tools.length} tools, and may have ${MOST_TOOLS}`);
  return {
    server: spec.name,
    tools: tools.map(toTool).sort((a, b) => (a.name < b.name ? -1 : 1)),
    hasChanged: () => changed,
    call: async (tool, input, signal): Promise<McpAnswer> => {
      try {
        const options = { timeout: spec.timeoutMs, maxTotalTimeout: spec.timeoutMs, signal };
        return answerOf(await client.callTool({ name: tool, arguments: input }, options));
      } catch (error) {
        return { ok: false, error: visibleLine(transport.problem() ?? messageOf(error), 2000) };
      }
    },
    close: () => transport.close(),
  };
}

interface Listed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

function toTool({ name, description = "", inputSchema, outputSchema }: Listed): McpTool {
  return { name, description, input: inputSchema as JsonObject, output: (outputSchema ?? null) as JsonObject | null };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
