/** Tools that start programs. They start exactly what policy was asked about, in the workspace; a wall around them is not theirs to build. */
import type { JsonObject } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import { type Ran, runArgv } from "./run-argv.ts";

export interface CommandToolOptions {
  /** All the variables that programs get: a PATH, and nothing secret. */
  readonly env: Readonly<Record<string, string>>;
  /** What `run_tests` and `run_linters` start; none unless told. */
  readonly tests?: readonly (readonly string[])[];
  readonly linters?: readonly (readonly string[])[];
}

const STARTS = { risk: "medium", timeout: "long", idempotent: false } as const;
const WORD = { type: "string", maxLength: 32_768, pattern: "^[^\\x00]*$" };

export function createCommandTools(options: CommandToolOptions): readonly Tool[] {
  return [
    commandTool(options),
    checkTool("run_tests", "Runs the tests of the project.", options.tests ?? [], options),
    checkTool("run_linters", "Runs the linters of the project.", options.linters ?? [], options),
  ];
}

function commandTool({ env }: CommandToolOptions): Tool {
  return {
    ...STARTS,
    name: "run_command",
    summary: "Runs a program in the workspace: `argv` as a list that no shell reads, or `script` as text for a shell.",
    input: {
      type: "object",
      properties: {
        argv: { type: "array", items: WORD, minItems: 1, maxItems: 1000 },
        script: { ...WORD, minLength: 1 },
      },
      oneOf: [{ required: ["argv"] }, { required: ["script"] }],
      additionalProperties: false,
    },
    requests: (input) => [requestOf(input)],
    async run(input, context) {
      const request = requestOf(input);
      const argv = request.kind === "run" ? (request.argv as readonly string[]) : ["/bin/sh", "-c", request.script];
      return { ok: true, output: outputOf(await started(argv, env, context)) };
    },
  };
}

function requestOf(input: JsonObject): Extract<PolicyRequest, { kind: "run" | "shell" }> {
  const { argv, script } = input;
  return Array.isArray(argv)
    ? { kind: "run", argv: argv as readonly string[] }
    : { kind: "shell", script: String(script) };
}

/** What has nothing to run has verified nothing. */
function checkTool(
  name: string,
  summary: string,
  commands: readonly (readonly string[])[],
  { env }: CommandToolOptions,
): Tool {
  return {
    ...STARTS,
    name,
    summary,
    input: { type: "object", properties: {}, additionalProperties: false },
    requests: () => commands.map((argv) => ({ kind: "run", argv })),
    async run(_input, context): Promise<ToolResult> {
      const results: JsonObject[] = [];
      for (const argv of commands) results.push({ argv, ...outputOf(await started(argv, env, context)) });
      const isPassed = results.every(({ exit }) => exit === 0);
      const status = results.length === 0 ? "unverified" : isPassed ? "passed" : "failed";
      return { ok: true, output: { status, results } };
    },
  };
}

function started(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { root, signal, key }: ToolContext,
): Promise<Ran> {
  return runArgv(argv, { cwd: root, env: { ...env, PAWL_KEY: key }, signal });
}

function outputOf({ exit, signal, output, dropped }: Ran): JsonObject {
  return { exit, ...(signal === null ? {} : { signal }), output, ...(dropped === 0 ? {} : { dropped }) };
}
