/**
 * What git says of the workspace. To policy each is the command that it is. What a repository can make git run by its settings is
 * switched off as far as git lets us; against the rest only a wall helps.
 */
import type { JsonObject } from "../../../base/json.ts";
import { placeOf } from "../files/place.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import { runArgv } from "./run-argv.ts";

export interface GitToolOptions {
  /** All the variables that git gets besides its own. */
  readonly env: Readonly<Record<string, string>>;
}

const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["log.showSignature", "false"],
];
const GIT_ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
const PATHS = { type: "array", items: { type: "string", minLength: 1 }, maxItems: 100 };

export function createGitTools(options: GitToolOptions): readonly Tool[] {
  return [
    gitTool(options, "git_status", "Which files have changed, in short form.", {}, () => [
      "status",
      "--porcelain=v1",
      "--branch",
    ]),
    gitTool(
      options,
      "git_diff",
      "What has changed in the files, as a patch; `staged`: what is in the index.",
      { staged: { type: "boolean" }, paths: PATHS },
      (input) => [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        ...(input["staged"] === true ? ["--cached"] : []),
        ...pathsOf(input),
      ],
    ),
    gitTool(
      options,
      "git_log",
      "The last commits: name, date, author and subject.",
      { count: { type: "integer", minimum: 1, maximum: 200 }, paths: PATHS },
      (input) => [
        "log",
        "--no-color",
        `--max-count=${String(input["count"] ?? 20)}`,
        "--format=%h %aI %an: %s",
        ...pathsOf(input),
      ],
    ),
  ];
}

function gitTool(
  { env }: GitToolOptions,
  name: string,
  summary: string,
  properties: JsonObject,
  argumentsOf: (input: JsonObject) => readonly string[],
): Tool {
  const argvOf = (input: JsonObject): readonly string[] => ["git", ...argumentsOf(input)];
  return {
    name,
    summary,
    input: { type: "object", properties, additionalProperties: false },
    // A repository can make git run something after all.
    risk: "medium",
    timeout: "medium",
    idempotent: true,
    requests: (input) => [{ kind: "run", argv: argvOf(input) }],
    run: (input, context) => askGit(argvOf(input), env, context),
  };
}

async function askGit(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { root, signal }: ToolContext,
): Promise<ToolResult> {
  // A repository above the workspace is none of its business.
  const own = { ...env, ...GIT_ENV, GIT_CEILING_DIRECTORIES: root.slice(0, root.lastIndexOf("/")) || "/" };
  const { exit, output } = await runArgv(argv, { cwd: root, env: own, signal });
  return exit === 0 ? { ok: true, output } : { ok: false, error: output.trim() };
}

/** Behind `--`, so that none of them is an option. */
function pathsOf(input: JsonObject): readonly string[] {
  const paths = Array.isArray(input["paths"]) ? (input["paths"] as readonly string[]) : [];
  return paths.length === 0 ? [] : ["--", ...paths.map((path) => `:(literal)${placeOf(path)}`)];
}
