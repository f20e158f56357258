/**
 * Folders of a repository from which an agent takes programs of its own accord, whatever its settings say. Behind the wall an empty
 * folder lies over each: in the folder that the agent begins in, and in all above it.
 */
import { lstatSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { AgentTask } from "../../../ports/agents/agent-backend.ts";
import { BEHIND, type Mount } from "../../../ports/sandbox.ts";

/** `root`: the project, where a process without a workspace works. `cwd`: behind the wall. */
export async function hideFolders(
  names: readonly string[],
  task: AgentTask,
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Promise<readonly Mount[]> {
  if (names.length === 0) return [];
  const empty = join(task.home, "empty");
  await mkdir(empty, { recursive: true, mode: 0o500 });
  const top = task.process.folder ?? root;
  // Where nothing can be written, what is not there cannot come, and has no place to lie over.
  const isNeeded = (path: string): boolean =>
    task.process.wall.sandbox !== "read_only" ||
    lstatSync(join(top, path.slice(BEHIND.workspace.length)), { throwIfNoEntry: false }) !== undefined;
  return foldersTo(cwd)
    .flatMap((folder) => names.map((name) => posix.join(folder, name)))
    .filter(isNeeded)
    .map((to) => ({ from: empty, to, access: "read" as const }));
}

/** From the workspace down to this folder. */
function foldersTo(cwd: string): readonly string[] {
  const parts = cwd.slice(BEHIND.workspace.length).split("/").slice(1);
  return [BEHIND.workspace, ...parts.map((_, at) => posix.join(BEHIND.workspace, ...parts.slice(0, at + 1)))];
}
