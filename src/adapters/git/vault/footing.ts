/** What a run stands on: the commit whose ignore rules hold for it, and the commit of the project whose objects it may see. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import type { Base } from "./bases.ts";
import { isObjectId } from "./commit.ts";
import type { ObjectSource } from "./pack-reachable.ts";
import { BASES, SNAPSHOTS, type Vault } from "./vault.ts";

export interface Footing extends Base {
  /** The commit that the run, or the run it came from, started from. */
  readonly start: string;
  /** That commit when it is the user's; of a snapshot of changed files, the commit it was made on. */
  readonly project: string;
}

/** Rejects with WORKSPACE_TREE_MISSING when nobody knows where the tree came from. The caller uses the vault. */
export async function findFooting(vault: Vault, run: RunId, tree: string): Promise<Footing> {
  const start = (await vault.refs.read(startRef(run))) ?? (await findStart(vault, tree));
  if (start === null) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: tree.slice(0, 80) });
  const project = await projectOf(vault, start);
  const base = (await vault.bases.find(project)) ?? (await vault.bases.take(project, await vaultAsSource(vault)));
  return { ...base, start, project };
}

/** From now on the run stands there. */
export async function recordFooting(vault: Vault, run: RunId, { start }: Footing): Promise<void> {
  if ((await vault.refs.read(startRef(run))) !== null) return;
  await (await vault.refs.prepare(start)).put(startRef(run));
}

function startRef(run: string): string {
  return `refs/pawl/${run}/base`;
}

/** A tree that a run starts from is a start of its own, or was made by another run; then it is that one's. */
async function findStart(vault: Vault, tree: string): Promise<string | null> {
  if (!isObjectId(tree)) return null;
  for (const folder of [BASES, SNAPSHOTS]) if ((await vault.refs.read(`${folder}/${tree}`)) !== null) return tree;
  const names = await vault.namesOf(tree);
  for (const name of names) {
    const start = await vault.refs.read(startRef(name.split("/")[2] as string));
    if (start !== null) return start;
  }
  return null;
}

async function projectOf(vault: Vault, start: string): Promise<string> {
  if ((await vault.refs.read(`${SNAPSHOTS}/${start}`)) === null) return start;
  return (await vault.git("finding a commit", ["rev-parse", "--verify", `${start}^1`])).toString().trim();
}

/** A base that is gone is made again from what the vault holds. */
async function vaultAsSource({ dir, objects }: Vault): Promise<ObjectSource> {
  const shallow = join(dir, "shallow");
  const isShallow = (await lstat(shallow).catch(() => null)) !== null;
  return {
    objects,
    shallow: isShallow ? shallow : null,
    call: (args) => ({ args: [`--git-dir=${dir}`, ...args] }),
  };
}
