/** What was accepted of MCP servers: one file each, in the folder of our state, which no process behind a wall can see. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { MCP_ERRORS } from "../../ports/agents/mcp-errors.ts";
import type { McpPin, McpPins } from "../../ports/agents/mcp-servers.ts";
import { replaceFile } from "./durable.ts";

export function createFileMcpPins({ dir }: { readonly dir: string }): McpPins {
  return {
    async read(server) {
      const text = await readFile(join(dir, `${server}.json`), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw pawlError(MCP_ERRORS, "MCP_PIN_UNREADABLE", { server, problem: error.code ?? "an unknown error" });
      });
      if (text === null) return null;
      const pin = parse(text);
      if (pin === null || pin.server !== server)
        throw pawlError(MCP_ERRORS, "MCP_PIN_UNREADABLE", { server, problem: "it is damaged" });
      return pin;
    },
    async write(pin) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify(pin, null, 2)}\n`;
      await replaceFile(dir, `${pin.server}.json`, new TextEncoder().encode(text), 0o600);
    },
  };
}

function parse(text: string): McpPin | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (!isJsonObject(value)) return null;
    const { server, declaration, digest, by, at, tools } = value;
    const texts = [server, declaration, digest, by].every((one) => typeof one === "string");
    const isPin = texts && typeof at === "number" && Array.isArray(tools) && tools.every(isTool);
    return isPin ? (value as unknown as McpPin) : null;
  } catch {
    return null;
  }
}

function isTool(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { name, description, input, output } = value;
  const isOutput = output === null || isJsonObject(output);
  return typeof name === "string" && typeof description === "string" && isJsonObject(input) && isOutput;
}
