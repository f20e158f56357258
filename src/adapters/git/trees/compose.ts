/**
 * The tree that is judged. It is made of objects of the vault, by their names alone: no file of any tree is laid out, and
 * nothing in a tree tells git what to do.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunId } from "../../../base/ids.ts";
import { compileProtection, type EntryKind, restoredPaths } from "../../../gates/protected-paths.ts";
import type { Composition } from "../../../ports/workspaces.ts";
import { storeFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import { randomName } from "../vault/durable.ts";
import { findFooting, recordFooting } from "../vault/footing.ts";
import type { ReceivedPack } from "../vault/import-pack.ts";
import { quotedPath } from "../vault/pack-reachable.ts";
import type { Vault } from "../vault/vault.ts";
import { PLAIN, type RawChange, takeRaw } from "./raw-changes.ts";
import { kindOf } from "./read-tree.ts";

const DOING = "putting protected files back";

/** `project`: where in the tree the project lies. */
export function composeTree(
  git: HostGit,
  vault: Vault,
  run: RunId,
  composition: Composition & { readonly project: string },
): Promise<string> {
  const { candidate, base, at } = composition;
  return vault.uses.during(async () => {
    for (const id of [candidate, base]) await vault.treeOf(id);
    const lines = await findEdits(vault, composition);
    if (lines.length === 0) return candidate;
    await recordFooting(vault, run, await findFooting(vault, run, candidate));
    const message = `What is judged: protected paths as in ${base}\n\nPawl-Run: ${run}\n`;
    return write(git, vault, candidate, lines, (tree, pack) =>
      vault.keep({ tree, parents: [candidate], at, message }, pack, `refs/pawl/${run}/judged`),
    );
  });
}

/** What is to be done to the candidate, as `git update-index --index-info` reads it. Paths are bytes, each as one character. */
async function findEdits(
  vault: Vault,
  { candidate, base, protect, project }: Composition & { readonly project: string },
): Promise<string[]> {
  const args = ["diff-tree", ...PLAIN, "--raw", "-z", "--no-renames", candidate, base];
  const changes = takeRaw((await vault.git(DOING, args)).toString("latin1").split("\0"));
  const covers = compileProtection(protect, project);
  const isProtected = (path: string, kind: EntryKind): boolean =>
    covers(Buffer.from(path, "latin1").toString("utf8"), kind);
  const differences = changes.map(({ path, oldMode, newMode }) => ({
    path,
    candidate: kindOf(oldMode),
    base: kindOf(newMode),
  }));
  const restored = restoredPaths(differences, isProtected);
  const edits = changes.filter(({ path }) => restored.has(path));
  // What goes goes first: a name may have to be free for a folder.
  return [...edits.filter(isGone), ...edits.filter((edit) => !isGone(edit))].map(
    ({ path, newMode, newId }) => `${newMode} ${newId}\t${path}\0`,
  );
}

function isGone({ newMode }: RawChange): boolean {
  return kindOf(newMode) === null;
}

/** Through an index and an object folder of our own; `keep` takes what is new into the vault. */
async function write(
  git: HostGit,
  vault: Vault,
  candidate: string,
  lines: readonly string[],
  keep: (tree: string, pack: ReceivedPack | null) => Promise<string>,
): Promise<string> {
  const folder = join(vault.dir, "pawl/temp", `compose-${randomName()}`);
  const objects = join(folder, "objects");
  const env = {
    GIT_INDEX_FILE: join(folder, "index"),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(vault.objects),
  };
  const call = (args: readonly string[]) => ({
    args: ["-c", "core.fsync=none", `--git-dir=${vault.dir}`, ...args],
    env,
  });
  const incoming = vault.startImport(true);
  try {
    await mkdir(objects, { recursive: true, mode: 0o700 });
    await git.ask(DOING, call(["read-tree", candidate]));
    const input = Buffer.from(lines.join(""), "latin1");
    await git.ask(DOING, { ...call(["update-index", "--add", "--replace", "-z", "--index-info"]), input });
    const tree = (await git.ask(DOING, call(["write-tree"]))).toString().trim();
    const ids = await looseIds(objects);
    if (ids.length === 0) return await keep(tree, null);
    const pack = { ...call(["pack-objects", "-q", "--stdout", "--window=0"]), input: [...ids, ""].join("\n") };
    await git.pour(DOING, pack, incoming.input);
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
