/** Which paths of a workspace a process may read but never write, create or replace, by the mode of its wall. */
import type { SandboxMode } from "../../blueprint/blueprint.ts";
import { SEALED_FILES, SEALED_FOLDERS } from "../../plan/paths/sealed-names.ts";

const TOOLS: readonly string[] = [...SEALED_FOLDERS, ...SEALED_FILES];

/** Git's own data: all of it, or, for a process that may commit, what git takes commands and foreign objects from. */
const REPOSITORY: readonly string[] = [".git"];
const REPOSITORY_SETTINGS: readonly string[] = [".git/config", ".git/hooks", ".git/info", ".git/objects/info"];

/**
 * Relative to the workspace. In a linked worktree `.git` is no folder but a file that says where the data is. `project`:
 * where in the workspace the project lies, a folder that people open too.
 */
export function sealedPaths(mode: SandboxMode, hasGitFolder: boolean, project = ""): readonly string[] {
  if (mode !== "repo_write" && mode !== "workspace_write") return [];
  const repository = mode === "repo_write" && hasGitFolder ? REPOSITORY_SETTINGS : REPOSITORY;
  const below = project === "" ? [] : TOOLS.map((path) => `${project}/${path}`);
  return [...repository, ...TOOLS, ...below];
}
