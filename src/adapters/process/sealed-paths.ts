/**
 * Paths of a workspace that a process may read but never write, create or replace. Nothing in a workspace is
 * configuration to us; to other programs some of it is: they run what it says, with the rights of whoever opens the
 * folder later. A process that may write these files would be run again without its wall.
 */
import type { SandboxMode } from "../../blueprint/blueprint.ts";

/** Each is read by a program that people use on a repository, and each can name a command to run. */
const TOOLS: readonly string[] = [
  // Agents: hooks, servers and permissions.
  ...[".claude", ".codex", ".gemini", ".opencode", "opencode.json", ".agents", ".cursor", ".mcp.json"],
  // Editors: tasks, launch settings, container set-up.
  ...[".vscode", ".idea", ".devcontainer"],
  // Hooks of git that are kept in the tree, and what a shell runs when it enters the folder.
  ...[".husky", ".githooks", ".envrc"],
  // Our own.
  ...[".pawl", "pawl.yaml"],
];

/** Git's own data: all of it, or, for a process that may commit, what git takes commands and foreign objects from. */
const REPOSITORY: readonly string[] = [".git"];
const REPOSITORY_SETTINGS: readonly string[] = [".git/config", ".git/hooks", ".git/info", ".git/objects/info"];

/** Relative to the workspace. In a linked worktree `.git` is no folder but a file that says where the data is. */
export function sealedPaths(mode: SandboxMode, hasGitFolder: boolean): readonly string[] {
  if (mode === "repo_write") return [...(hasGitFolder ? REPOSITORY_SETTINGS : REPOSITORY), ...TOOLS];
  return mode === "workspace_write" ? [...REPOSITORY, ...TOOLS] : [];
}
