/** Branches that are being rebased are checked out nowhere, and must not move all the same: git could not end what it has begun. */
import { readFile } from "node:fs/promises";
import { pathOf } from "./checkout.ts";
import { workingTrees } from "./commits.ts";
import type { RunGit } from "./run-git.ts";

export async function isRebased(git: RunGit, ref: string): Promise<boolean> {
  for (const { folder } of await workingTrees(git)) {
    const inFolder: RunGit = (args, call) => git(["-C", folder, ...args], call);
    for (const kind of ["rebase-merge", "rebase-apply"]) {
      const head = await readFile(await pathOf(inFolder, `${kind}/head-name`), "utf8").catch(() => "");
      if (head.trim() === ref) return true;
    }
  }
  return false;
}
