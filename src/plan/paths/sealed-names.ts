/**
 * Names in a workspace that a process may read but never write, create or replace. Nothing in a workspace is
 * configuration to us; to other programs some of it is: they run what it says, with the rights of whoever opens the
 * folder later. Whoever may write these files is run again without a wall.
 */

/** Each is read by a program that people use on a repository, and each can name a command to run. */
export const SEALED_FOLDERS: readonly string[] = [
  // Agents: hooks, servers and permissions.
  ...[".claude", ".codex", ".gemini", ".opencode", ".agents", ".cursor"],
  // Editors: tasks, launch settings, container set-up.
  ...[".vscode", ".idea", ".zed", ".devcontainer"],
  // Hooks of git that are kept in the tree.
  ...[".husky", ".githooks"],
  // Our own.
  ".pawl",
];

export const SEALED_FILES: readonly string[] = [
  ...["opencode.json", "opencode.jsonc", ".mcp.json", ".devcontainer.json"],
  // What a shell runs when it enters the folder.
  ".envrc",
  "pawl.yaml",
  // Caps on what loops may spend.
  "loop-budget.md",
];

/** Git's own data. */
const REPOSITORY = ".git";
const REPOSITORY_FILE = ".git/config";

/** Letters count as equal in both cases: on other machines they name the same file. */
const NAMES: ReadonlySet<string> = new Set([REPOSITORY, ...SEALED_FOLDERS, ...SEALED_FILES]);

/** An expression for paths that are sealed, for rules. */
export const SEALED_EXPRESSION = `(?i)(^|/)(${[...NAMES].map((name) => name.replaceAll(".", "[.]")).join("|")})(/|$)`;

/**
 * The part of a path that ends with the first sealed name in it, or the one of these folders that holds it; undefined:
 * nothing of it is sealed.
 */
export function sealedPartOf(path: string, folders: readonly string[] = []): string | undefined {
  const parts = path.split("/");
  const at = parts.findIndex((part) => NAMES.has(part.toLowerCase()));
  if (at >= 0) return parts.slice(0, at + 1).join("/");
  return folders.find((folder) => `${path}/`.toLowerCase().startsWith(`${folder}/`.toLowerCase()));
}

/** Whether programs look for a file at this path and not for a folder. */
export function isFileByNature(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return SEALED_FILES.includes(name) || path === REPOSITORY_FILE || path.endsWith(`/${REPOSITORY_FILE}`);
}
