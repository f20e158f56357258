/** What the vault holds of trees, for whoever has the id of one. */
import type { TreeCheck, Trees } from "../../../ports/trees.ts";
import type { HostGit } from "../host-git.ts";
import type { Vault } from "../vault/vault.ts";
import { countChanges, diffTrees } from "./diff.ts";
import { hashFiles, readTreeFile } from "./read-tree.ts";

/** `vaultFor` rejects when nothing was ever saved. */
export function createTreeReader(
  git: HostGit,
  project: string,
  vaultFor: (tree: string) => Promise<Vault>,
): Omit<Trees, "sweep" | "vault" | keyof TreeCheck> {
  return {
    changes: async (from, to) => countChanges(git, await vaultFor(from), from, to),
    read: async (tree, path, maxBytes) => readTreeFile(await vaultFor(tree), tree, path, maxBytes),
    hashes: async (tree, globs) => hashFiles(git, await vaultFor(tree), tree, globs, project),
    diff: async (from, to, maxBytes) => diffTrees(git, await vaultFor(from), from, to, maxBytes),
    oid: async (tree) => (await vaultFor(tree)).treeOf(tree),
  };
}
