/**
 * Bases: for each commit of the project that runs stand on, a folder with every object that can be reached from it and no
 * other. It is all that a stage sees of the vault.
 *
 *   pawl/bases/<commit>/pack/*    the same files as in objects/pack, where a .keep holds them while a base has them
 *   pawl/bases/<commit>/shallow   the commits at which its history ends, when the project was shallow
 */
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import { isObjectId } from "./commit.ts";
import { randomName } from "./durable.ts";
import { makeBase } from "./make-base.ts";
import type { ObjectSource } from "./pack-reachable.ts";
import { noteShallow, writeShallow } from "./shallow.ts";

export interface Base {
  /** The folder of objects. */
  readonly objects: string;
  /** The file that says where its history ends; null: it is whole. */
  readonly shallow: string | null;
}

export interface Bases {
  /** null: there is none. */
  find(commit: string): Promise<Base | null>;
  /** Makes the base of a commit from a repository that has it, unless there is one. The caller uses the vault. */
  take(commit: string, source: ObjectSource): Promise<Base>;
  /** Removes every base but these. The caller has the vault alone. */
  retain(commits: ReadonlySet<string>): Promise<void>;
}

export function createBases(git: HostGit, vault: string): Bases {
  const folder = join(vault, "pawl/bases");
  const temp = join(vault, "pawl/temp");

  const list = async (): Promise<string[]> => (await readdir(folder).catch(() => [])).filter(isObjectId);

  const find: Bases["find"] = async (commit) => {
    const objects = join(folder, commit);
    if ((await lstat(objects).catch(() => null)) === null) return null;
    const shallow = join(objects, "shallow");
    return { objects, shallow: (await lstat(shallow).catch(() => null)) === null ? null : shallow };
  };

  const make = async (commit: string, source: ObjectSource): Promise<void> => {
    const scratch = join(temp, `base-${randomName()}`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const whole: string[] = [];
      for (const name of await list()) if ((await find(name))?.shallow === null) whole.push(name);
      await makeBase({ git, vault, folder, scratch, whole, take: (one) => take(one, source) }, commit, source);
    } catch (error) {
      throw storeFailure(error, folder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };

  const take: Bases["take"] = async (commit, source) => {
    if ((await find(commit)) === null) await make(commit, source);
    const base = (await find(commit)) as Base;
    await noteShallow(vault, base.shallow, list);
    return base;
  };

  return {
    find,
    take,
    async retain(commits) {
      // Half a base must never be taken for a whole one: it loses its name first.
      for (const name of await list())
        if (!commits.has(name)) await rename(join(folder, name), join(temp, `base-${randomName()}`));
      await releasePacks(folder, await list(), join(vault, "objects/pack"));
      await writeShallow(vault, list);
    },
  };
}

/** What no base has any more may be packed anew, or go. */
async function releasePacks(folder: string, bases: readonly string[], shared: string): Promise<void> {
  const held = new Set<string>();
  for (const commit of bases) for (const file of await readdir(join(folder, commit, "pack"))) held.add(file);
  for (const file of await readdir(shared))
    if (file.endsWith(".keep") && !held.has(file.replace(/keep$/, "pack"))) await rm(join(shared, file));
}
