/** Named lists of tools. An agent may call only what its set names. */
import { pawlError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { compileText } from "../../policy/patterns/text.ts";
import { TOOL_ERRORS } from "../../ports/errors/tool-errors.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ToolRisk } from "./tool.ts";

export interface Toolset {
  readonly name: string;
  /** Names of tools; `*` stands for any characters, as in `server__*`. */
  readonly tools: readonly string[];
  /** Policy sees every call with this tier, or with that of the tool when it is higher. */
  readonly risk: ToolRisk;
  /** A person decides about every call that does more than look, unless a rule of the policy names the tool. */
  readonly requiresApproval: boolean;
}

const THINK = ["think", "now", "uuid_generate", "json_query", "kv_get", "kv_set", "kv_delete", "kv_list"];
const READ = ["read_file", "list_directory", "glob", "grep", "cite"];
const LANGUAGE = ["summarize", "classify", "extract"];
const GIT = ["git_status", "git_diff", "git_log"];
const WRITE = ["write_file", "edit_file", "apply_patch"];
const CHECK = ["run_command", "run_tests", "run_linters"];

function builtIn(name: string, risk: ToolRisk, requiresApproval: boolean, ...tools: readonly string[]): Toolset {
  return { name, tools: [...THINK, ...tools], risk, requiresApproval };
}

/** Those of OpenExec, with the tools that are here. */
export const TOOLSETS: readonly Toolset[] = [
  builtIn("repo_readonly", "low", false, ...READ, ...GIT),
  builtIn("coding_backend", "medium", false, ...READ, ...WRITE, ...CHECK, ...GIT),
  builtIn("coding_frontend", "medium", false, ...READ, ...WRITE, ...CHECK, ...GIT, "web_fetch"),
  builtIn("debug_ci", "medium", false, ...READ, ...WRITE, ...CHECK, ...GIT, ...LANGUAGE),
  builtIn("docs_research", "low", false, ...READ, ...LANGUAGE, "web_fetch"),
  builtIn("release_ops", "high", true, ...READ, ...WRITE, ...CHECK, ...GIT),
];

/** One that is built in. Throws TOOLSET_UNKNOWN. */
export function findToolset(name: string): Toolset {
  const found = TOOLSETS.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = TOOLSETS.map((each) => each.name);
  throw pawlError(TOOL_ERRORS, "TOOLSET_UNKNOWN", { toolset: name, nearest: nearest(name, names) ?? names.join(", ") });
}

/** Names of the tools that the set gives. Throws TOOLSET_TOOL_UNKNOWN for a name of the user's own that means none. */
export function toolsOf({ name, tools }: Toolset, registry: ToolRegistry): ReadonlySet<string> {
  const given = registry.all.map(({ tool }) => tool.name);
  const isBuiltIn = TOOLSETS.some((each) => each.tools === tools);
  const found = tools.flatMap((written) => {
    const matching = given.filter(compileText(written));
    // A registry need not have all that is built in.
    if (matching.length === 0 && !isBuiltIn && !written.includes("*"))
      throw pawlError(TOOL_ERRORS, "TOOLSET_TOOL_UNKNOWN", { toolset: name, tool: written });
    return matching;
  });
  return new Set(found);
}
