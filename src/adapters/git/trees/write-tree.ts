/** A new tree of the vault, made through an index and an object folder of its own: nothing is laid out anywhere. */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeFailure } from "../failures.ts";
import type { GitCall, HostGit } from "../host-git.ts";
import { randomName } from "../vault/durable.ts";
import type { ReceivedPack } from "../vault/import-pack.ts";
import { quotedPath } from "../vault/pack-reachable.ts";
import type { Vault } from "../vault/vault.ts";

export interface TreeChanges {
  readonly doing: string;
  /** The tree that is changed. */
  readonly from: string;
  /**
   * What is to be done, as `git update-index --index-info` reads it; paths are bytes, each as one character. `call` is a git whose new
   * objects become part of the vault with the tree.
   */
  edits(call: (args: readonly string[]) => GitCall): Promise<readonly string[]>;
}

/** `keep` takes what is new into the vault. */
export async function writeTree(
  git: HostGit,
  vault: Vault,
  { doing, from, edits }: TreeChanges,
  keep: (tree: string, pack: ReceivedPack | null) => Promise<string>,
): Promise<string> {
  const folder = join(vault.dir, "pawl/temp", `tree-${randomName()}`);
  const objects = join(folder, "objects");
  const env = {
    GIT_INDEX_FILE: join(folder, "index"),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(vault.objects),
  };
  const call = (args: readonly string[]): GitCall => ({
    args: ["-c", "core.fsync=none", `--git-dir=${vault.dir}`, ...args],
    env,
  });
  const incoming = vault.startImport(true);
  try {
    await mkdir(objects, { recursive: true, mode: 0o700 });
    await git.ask(doing, call(["read-tree", from]));
    const input = Buffer.from((await edits(call)).join(""), "latin1");
    await git.ask(doing, { ...call(["update-index", "--add", "--replace", "-z", "--index-info"]), input });
    const tree = (await git.ask(doing, call(["write-tree"]))).toString().trim();
    const ids = await looseIds(objects);
    if (ids.length === 0) return await keep(tree, null);
    const pack = { ...call(["pack-objects", "-q", "--stdout", "--window=0"]), input: [...ids, ""].join("\n") };
    await git.pour(doing, pack, incoming.input);
    return await keep(tree, await incoming.finish());
  } catch (error) {
    throw storeFailure(error, folder);
  } finally {
    await Promise.all([incoming.abandon(), rm(folder, { recursive: true, force: true })]);
  }
}

async function looseIds(objects: string): Promise<string[]> {
  const ids: string[] = [];
  for (const head of (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const tail of await readdir(join(objects, head))) ids.push(`${head}${tail}`);
  return ids.sort();
}
