/** MCP servers for tests: one on the maintained SDK, and some that misbehave. All run behind the real wall. */
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createMcpServers, type McpServersOptions } from "../../../src/adapters/mcp/servers.ts";
import { createBubblewrapSandbox } from "../../../src/adapters/sandbox/sandbox.ts";
import type { McpServerSpec } from "../../../src/blueprint/mcp/mcp-spec.ts";
import type { McpServers } from "../../../src/ports/agents/mcp-servers.ts";
import { executorIn } from "../process-fixture.ts";

export const MODULES = realpathSync(new URL("../../../node_modules", import.meta.url));
const urlOf = (path: string): string => pathToFileURL(join(MODULES, path)).href;

const SANDBOX = createBubblewrapSandbox({
  readable: [MODULES],
  path: process.env["PATH"] ?? "",
  nodeProgram: process.execPath,
});

export function serversIn(root: string, change: Partial<McpServersOptions> = {}): McpServers {
  return createMcpServers({ executor: executorIn(root, { sandbox: SANDBOX }), startMs: 20_000, ...change });
}

/** On the SDK: says, fails, floods, waits, looks around, and can change its tools. `greeting` is what it says of its first tool. */
const HONEST = (greeting: string): string => `
import { McpServer } from ${JSON.stringify(urlOf("@modelcontextprotocol/server/dist/index.mjs"))};
import { StdioServerTransport } from ${JSON.stringify(urlOf("@modelcontextprotocol/server/dist/stdio.mjs"))};
import { z } from ${JSON.stringify(urlOf("zod/index.js"))};
import { writeFileSync, existsSync } from "node:fs";
console.log("noise before anything");
const server = new McpServer({ name: "honest", version: "1" });
const text = (value) => ({ content: [{ type: "text", text: value }] });
server.registerTool("say.hello", { description: ${JSON.stringify(greeting)}, inputSchema: z.object({ name: z.string() }) }, async ({ name }) => {
  console.log("noise { in between");
  return text("hello " + name);
});
server.registerTool("sum", { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
  async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
server.registerTool("fail", { description: "Fails.", inputSchema: z.object({}) }, async () => ({ ...text("it is broken"), isError: true }));
server.registerTool("flood", { description: "Says a lot.", inputSchema: z.object({ bytes: z.number() }) }, async ({ bytes }) => text("a" + "x".repeat(bytes) + "z"));
server.registerTool("wait", { description: "Never ends.", inputSchema: z.object({}) }, async () => new Promise(() => undefined));
server.registerTool("picture", { description: "Draws.", inputSchema: z.object({}) }, async () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }, { type: "text", text: "done" }] }));
server.registerTool("look", { description: "Looks around.", inputSchema: z.object({}) }, async () => {
  let wrote = true;
  try { writeFileSync("made-by-server", "x"); } catch { wrote = false; }
  return text(JSON.stringify({ wrote, state: existsSync(".pawl/pawl.db"), file: existsSync("readme"), key: process.env.SECRET_KEY ?? null, own: process.env.OWN ?? null }));
});
server.registerTool("grow", { description: "Adds a tool.", inputSchema: z.object({}) }, async () => {
  server.registerTool("extra", { description: "New.", inputSchema: z.object({}) }, async () => text("extra"));
  return text("grown");
});
server.registerTool("die", { description: "Ends.", inputSchema: z.object({}) }, async () => process.exit(7));
await server.connect(new StdioServerTransport());
`;

/** Scripts without the SDK: each answers the handshake and then misbehaves. */
const BAD = {
  silent: "process.stdin.resume();",
  ends: "process.stderr.write('no licence\\n'); process.exit(3);",
  long: "process.stdout.write('{' + 'x'.repeat(9 << 20)); process.stdin.resume();",
  noisy: "process.stdin.resume(); for (let i = 0; i < 40000; i += 1) process.stdout.write('y'.repeat(40) + '\\n');",
  curious:
    "process.stdin.once('data', (asked) => { process.stdin.pause(); const { id, params } = JSON.parse(String(asked).split('\\n')[0]);" +
    "console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }));" +
    'const ask = () => process.stdout.write(\'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n\'.repeat(1000), () => setImmediate(ask)); ask(); });',
  slow:
    "let page = 0; process.getBuiltinModule('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { const { id, method, params } = JSON.parse(line);" +
    "const say = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));" +
    "if (method === 'initialize') say({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });" +
    "if (method === 'tools/list') setTimeout(() => say({ tools: [], nextCursor: String((page += 1)) }), 300); });",
  stubborn: "process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1000);",
} as const;

export type BadServer = keyof typeof BAD;

/** Writes the program of the server into the project and declares it. */
export function honestServer(
  root: string,
  change: Partial<McpServerSpec> = {},
  greeting = "Says hello.",
): McpServerSpec {
  writeFileSync(join(root, "server.mjs"), HONEST(greeting));
  return specOf(["node", "server.mjs"], change);
}

export function badServer(root: string, kind: BadServer): McpServerSpec {
  writeFileSync(join(root, `${kind}.mjs`), BAD[kind]);
  return specOf(["node", `${kind}.mjs`, `mcp-${kind}`], { name: kind });
}

export function specOf(argv: readonly string[], change: Partial<McpServerSpec> = {}): McpServerSpec {
  return {
    name: "honest",
    argv,
    env: [],
    network: [],
    tools: null,
    timeoutMs: 20_000,
    memoryBytes: 1 << 30,
    ...change,
  };
}
