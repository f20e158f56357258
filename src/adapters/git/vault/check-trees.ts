/** Whether the trees that journals name are still there, each under a name of its own, and whole. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunId } from "../../../base/ids.ts";
import type { TreeCheck, TreeHolding } from "../../../ports/trees.ts";
import type { HostGit } from "../host-git.ts";
import { wasDropped } from "../saved/dropped.ts";
import { examine } from "../saved/examine.ts";
import { isObjectId } from "./commit.ts";
import { BASES, SNAPSHOTS, type Vault } from "./vault.ts";

export function createTreeCheck(git: HostGit, findVault: () => Promise<Vault | null>): TreeCheck {
  /** Trees of one run are asked for one after the other. */
  let known: { readonly run: RunId; readonly names: Promise<ReadonlySet<string>> } | null = null;
  const namesOf = (vault: Vault, run: RunId): Promise<ReadonlySet<string>> => {
    if (known?.run !== run) known = { run, names: namedCommits(join(vault.dir, "refs/pawl", run)) };
    return known.names;
  };
  return {
    async holding(run, tree) {
      const vault = await findVault();
      if (vault === null) return "no_vault";
      if (!isObjectId(tree)) return "missing";
      if ((await namesOf(vault, run)).has(tree)) return "held";
      return holdingElsewhere(git, vault, tree);
    },
    async examine(trees, signal) {
      const vault = await findVault();
      if (vault === null) return { objects: 0, problem: "there is no vault" };
      // Nothing is removed meanwhile.
      return vault.uses.during(() =>
        trees === "all"
          ? examine(git, vault.dir, ["--glob=refs/pawl/*"], "", signal)
          : examine(git, vault.dir, ["--no-walk", "--stdin"], trees.map((id) => `${id}\n`).join(""), signal),
      );
    },
  };
}

/** What the names of one run name. */
async function namedCommits(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isFile()) found.add((await readFile(join(entry.parentPath, entry.name), "latin1")).trim());
  }
  return found;
}

/** A child begins with a tree of its parent, and a run with a commit of the project. */
async function holdingElsewhere(git: HostGit, vault: Vault, tree: string): Promise<TreeHolding> {
  for (const folder of [BASES, SNAPSHOTS]) if ((await vault.refs.read(`${folder}/${tree}`)) === tree) return "held";
  if (await wasDropped(vault.dir, tree)) return "dropped";
  if ((await vault.namesOf(tree)).length > 0) return "held";
  const { code } = await git.run({ args: [`--git-dir=${vault.dir}`, "cat-file", "-e", tree] });
  return code === 0 ? "unnamed" : "missing";
}
