/**
 * The tools of MCP servers as tools of the harness. They are known from what was accepted, so no server is started to offer them: one starts
 * with the first call that policy has allowed, and is believed only when its tools are still those that were accepted.
 */
import { sha256 } from "../../base/digest.ts";
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { readSchema } from "../../base/schema/schema.ts";
import { visibleLine } from "../../base/visible.ts";
import type { McpServerSpec } from "../../blueprint/mcp/mcp-spec.ts";
import { compileText } from "../../policy/patterns/text.ts";
import { MCP_ERRORS } from "../../ports/agents/mcp-errors.ts";
import type { McpPin, McpPins, McpServers, McpSession, McpTool } from "../../ports/agents/mcp-servers.ts";
import type { Tool, ToolResult } from "../tools/tool.ts";
import { changesSince, declarationOf, digestOfTools } from "./pin.ts";

export interface McpParts {
  readonly servers: McpServers;
  readonly pins: McpPins;
  readonly run: RunId;
}

export interface McpToolset {
  readonly tools: readonly Tool[];
  /** Tools that cannot be offered, and why. */
  readonly leftOut: readonly { readonly tool: string; readonly why: string }[];
  /** For whoever has ruled on the call. Rejects only for defects. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult>;
  /** Ends every server that was started. */
  close(): Promise<void>;
}

const LONGEST_NAME = 64;
const LONGEST_SUMMARY = 1024;

/** Rejects with MCP_SERVER_UNPINNED or MCP_SERVER_CHANGED: nothing was started. */
export async function createMcpToolset(specs: readonly McpServerSpec[], parts: McpParts): Promise<McpToolset> {
  const sessions = createSessions(parts);
  const tools: Tool[] = [];
  const calls = new Map<string, Call>();
  const leftOut: { tool: string; why: string }[] = [];
  for (const spec of specs) {
    const pin = await acceptedPin(spec, parts.pins);
    const isUsed = usedBy(spec);
    for (const tool of pin.tools.filter(({ name }) => isUsed(name))) {
      const name = mcpToolName(spec.name, tool.name);
      const why = unfit(
        tool,
        tools.some((other) => other.name === name),
      );
      const call: Call = (input, signal) => callTool(() => sessions.open(spec, pin), tool.name, input, signal);
      if (why === null) {
        tools.push(toolOf(spec, tool, call));
        calls.set(name, call);
      } else leftOut.push({ tool: name, why });
    }
  }
  return {
    ...{ tools, leftOut, close: sessions.close },
    call: async (tool, input, signal) =>
      (await calls.get(tool)?.(input, signal)) ?? { ok: false, error: `there is no tool ${tool}` },
  };
}

type Call = (input: JsonObject, signal: AbortSignal) => Promise<ToolResult>;

/** As a model sees it. A name that is too long, or has characters that no provider takes, ends with a part of its digest. */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const fitting = plain.replace(/[^A-Za-z0-9_-]/g, "_");
  if (fitting === plain && plain.length <= LONGEST_NAME) return plain;
  return `${fitting.slice(0, LONGEST_NAME - 9)}_${sha256(plain).slice(0, 8)}`;
}

export async function acceptedPin(spec: McpServerSpec, pins: Pick<McpPins, "read">): Promise<McpPin> {
  const pin = await pins.read(spec.name);
  if (pin === null) throw pawlError(MCP_ERRORS, "MCP_SERVER_UNPINNED", { server: spec.name });
  if (digestOfTools(pin.tools) !== pin.digest)
    throw pawlError(MCP_ERRORS, "MCP_PIN_UNREADABLE", { server: spec.name, problem: "its digest is another" });
  if (pin.declaration !== declarationOf(spec)) throw pawlError(MCP_ERRORS, "MCP_SERVER_CHANGED", { server: spec.name });
  return pin;
}

function usedBy({ tools }: McpServerSpec): (name: string) => boolean {
  const patterns = tools?.map((text) => compileText(text)) ?? null;
  return (name) => patterns === null || patterns.some((covers) => covers(name));
}

function unfit({ input }: McpTool, isTaken: boolean): string | null {
  if (isTaken) return "another tool has this name";
  const reading = readSchema(input);
  if (!reading.ok) return `its schema cannot be checked whole: ${reading.problem}`;
  return input["type"] === "object" ? null : "its schema is not for an object";
}

function toolOf({ name: server }: McpServerSpec, tool: McpTool, call: Call): Tool {
  const about = visibleLine(tool.description, LONGEST_SUMMARY);
  return {
    name: mcpToolName(server, tool.name),
    summary: about === "" ? `${tool.name} of the MCP server ${server}` : about,
    input: tool.input,
    risk: "high",
    timeout: "long",
    idempotent: false,
    safeToShare: false,
    requests: () => [{ kind: "mcp", server, tool: tool.name }],
    run: (input, { signal }) => call(input, signal),
  };
}

async function callTool(
  open: () => Promise<McpSession>,
  tool: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    const answer = await (await open()).call(tool, input, signal);
    if (!answer.ok) return { ok: false, error: answer.error };
    return { ok: true, output: answer.value === null ? answer.text : { text: answer.text, value: answer.value } };
  } catch (error) {
    if (!isPawlError(error)) throw error;
    const [problem] = error.problems;
    return { ok: false, error: `${problem?.code}: ${problem?.what} ${problem?.hint}` };
  }
}

interface Sessions {
  open(spec: McpServerSpec, pin: McpPin): Promise<McpSession>;
  close(): Promise<void>;
}

/** One for each server. A server whose tools have changed is ended, and started again for nobody. */
function createSessions({ servers, run }: McpParts): Sessions {
  const opened = new Map<string, Promise<McpSession>>();
  const life = new AbortController();

  const checked = async (spec: McpServerSpec, pin: McpPin): Promise<McpSession> => {
    const session = await servers.open(spec, run, life.signal);
    const changes = changesSince(pin, session.tools);
    if (changes === null) return session;
    await session.close();
    throw pawlError(MCP_ERRORS, "MCP_TOOLS_CHANGED", { server: spec.name, changes });
  };

  return {
    async open(spec, pin) {
      const known = opened.get(spec.name) ?? checked(spec, pin);
      opened.set(spec.name, known);
      // One that did not get to work may do so the next time.
      known.catch((error: unknown) => {
        if (isPawlError(error) && error.code === "MCP_SERVER_FAILED") opened.delete(spec.name);
      });
      const session = await known;
      if (!session.hasChanged()) return session;
      await session.close();
      const changes = "it says so itself";
      throw pawlError(MCP_ERRORS, "MCP_TOOLS_CHANGED", { server: spec.name, changes });
    },
    async close() {
      life.abort();
      await Promise.all(
        [...opened.values()].map((session) =>
          session.then(
            (one) => one.close(),
            () => undefined,
          ),
        ),
      );
      opened.clear();
    },
  };
}
