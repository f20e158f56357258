/** `mcp` of pawl.yaml → the servers it declares. A file that says nothing declares none. */
import { ok, type Result } from "../../base/result.ts";
import { parseProjectText } from "../parse-text.ts";
import { REPOSITORY_FILE } from "../policy/repository-file.ts";
import type { Shape } from "../shapes/shape.ts";
import type { MCP } from "./mcp-fields.ts";
import type { McpServerSpec } from "./mcp-spec.ts";

type Given = typeof MCP extends Shape<infer T> ? T : never;

const TIMEOUT_MS = 60_000;
const MEMORY_BYTES = 2 ** 30;

export function parseRepositoryMcp(content: string, file: string): Result<readonly McpServerSpec[]> {
  const parsed = parseProjectText(content, file, (tree, reading) => {
    const found = REPOSITORY_FILE.read(tree, reading, "pawl.yaml");
    return found === undefined ? undefined : (found.mcp?.value ?? []).map(toSpec);
  });
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok([]) : parsed;
}

function toSpec({ name, value }: Given[number]): McpServerSpec {
  const { run, env, network, tools, timeout, memory } = value;
  const pairs = (env?.value ?? []).map(({ name: key, value: text }) => [key, text] as const);
  return {
    name,
    argv: (run?.value ?? []).map((item) => item.value),
    env: pairs.sort(([a], [b]) => (a < b ? -1 : 1)),
    network: (network?.value ?? []).map((item) => item.value).sort(),
    tools: tools === undefined ? null : tools.value.map((item) => item.value),
    timeoutMs: timeout?.value ?? TIMEOUT_MS,
    memoryBytes: memory?.value ?? MEMORY_BYTES,
  };
}
