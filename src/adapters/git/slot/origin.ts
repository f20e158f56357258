/**
 * Whose ignored files a new workspace begins with. They are in no tree, so they are copied from where they lie: a member of
 * a group takes those of its run, a child run those of its parent.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunId } from "../../../base/ids.ts";
import type { Mount } from "../../../ports/sandbox.ts";
import type { Vault } from "../vault/vault.ts";
import type { Yard } from "../yard.ts";
import { coreName, type Slot, slotOf } from "./slot.ts";

/** Below this a cell finds the other workspace. */
const ORIGIN = "/run/pawl/origin";

/** From now on the first workspace of a run begins with the ignored files of another run, if that has a workspace then. */
export async function recordOrigin(vault: Vault, run: RunId, tree: string, parent: RunId): Promise<void> {
  await (await vault.refs.prepare(tree)).put(`${folderOf(run)}/${parent}`);
}

/** What a cell needs to copy them; nothing when there is no other workspace. */
export async function originMounts(yard: Yard, slot: Slot): Promise<Mount[]> {
  const { vault, dir } = yard;
  const run = coreName(slot) === "run" ? await parentOf(vault, slot.run) : slot.run;
  if (run === null) return [];
  const { tree, shadow } = slotOf(dir, run, null);
  const parts = await Promise.all([tree, join(shadow, "index")].map((path) => lstat(path).catch(() => null)));
  if (parts.includes(null)) return [];
  return [
    { from: tree, to: `${ORIGIN}/tree`, access: "read" },
    { from: shadow, to: `${ORIGIN}/shadow.git`, access: "read" },
  ];
}

async function parentOf(vault: Vault, run: RunId): Promise<RunId | null> {
  const [parent] = await readdir(join(vault.dir, folderOf(run))).catch(() => []);
  return parent === undefined ? null : (parent as RunId);
}

function folderOf(run: RunId): string {
  return `refs/pawl/${run}/origin`;
}
