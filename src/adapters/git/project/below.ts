/** A project that is a folder of a larger repository: its workspaces hold the whole repository, its paths mean its folder. */
import { posix } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { WorkspaceSpec } from "../../../blueprint/blueprint.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import type { Vault } from "../vault/vault.ts";

/** The same workspace, with every path from the top of the repository. */
export function specFromTop(spec: WorkspaceSpec, folder: string): WorkspaceSpec {
  return folder === "" ? spec : { ...spec, share: spec.share.map((path) => posix.join(folder, path)) };
}

/** A path from the top of the repository, as seen from the folder of the project. */
export function pathFromProject(path: string, folder: string): string {
  return folder === "" ? path : posix.relative(folder, path);
}

/** Rejects when the tree does not hold the folder: a stage would have nowhere to start. */
export async function requireFolder(vault: Vault, tree: string, top: string, folder: string): Promise<void> {
  const kind = vault.git("looking for the folder of the project", ["cat-file", "-t", `${tree}:${folder}`]);
  if ((await kind.catch(() => "")).toString() !== "tree\n")
    throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_PROJECT_BELOW", { folder, top });
}
