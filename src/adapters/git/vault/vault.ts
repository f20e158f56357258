/**
 * The vault: every tree that was ever saved, under refs/pawl/. No stage can write it, and the user's repository may be
 * cleaned up or removed without touching it.
 *
 *   refs/pawl/bases/<commit>        commits of the project that runs stand on
 *   refs/pawl/snapshots/<commit>    files of the project as they lay there; its parent is one of these
 *   refs/pawl/<run>/base            what this run started from, one of both; its ignore rules decide what is saved
 *   refs/pawl/<run>/start           the tree it starts from
 *   refs/pawl/<run>/origin/<run>    its parent, whose ignored files it begins with
 *   refs/pawl/<run>/saved/<n>       what its workspaces held after an attempt
 *   refs/pawl/<run>/left/<n>        what they held when something else was to be put there
 *   refs/pawl/<run>/judged/<n>      what its gates looked at
 *   refs/pawl/<run>/planted/<n>     what a drill planted for it
 *   refs/pawl/<run>/kept/<n>        an archive of what no tree can hold
 *   refs/pawl/<run>/salvage/<n>     objects of a private repository, as the stages left it
 *   refs/pawl/<run>/found/<n>       what was saved and had lost its name (nameless.ts)
 */
import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { storeFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import type { Project } from "../project/project.ts";
import { type Bases, createBases } from "./bases.ts";
import { type CommitText, commitBytes, formatOf, isObjectId, objectOf } from "./commit.ts";
import { createVault } from "./create-vault.ts";
import { randomName, syncFolder, writeDurable } from "./durable.ts";
import { type IgnoreFile, joinIgnoreRules } from "./ignore-rules.ts";
import { type Import, type ReceivedPack, startImport, writeLoose } from "./import-pack.ts";
import { createRefs, type Refs } from "./refs.ts";
import { createUses, type Uses } from "./uses.ts";

export const BASES = "refs/pawl/bases";
export const SNAPSHOTS = "refs/pawl/snapshots";

export interface Vault {
  readonly dir: string;
  readonly objects: string;
  readonly refs: Refs;
  readonly uses: Uses;
  readonly bases: Bases;
  git(doing: string, args: readonly string[], input?: string): Promise<Buffer>;
  /** The tree object of a commit. Rejects with WORKSPACE_TREE_MISSING. */
  treeOf(commit: string): Promise<string>;
  /** The references that name a commit; none when it is not there. */
  namesOf(commit: string): Promise<readonly string[]>;
  startImport(isTrusted: boolean): Import;
  /** Makes a tree durable as a commit with the next number below `folder`. `pack`: the objects that came with it. */
  keep(commit: CommitText, pack: ReceivedPack | null, folder: string): Promise<string>;
  /** Makes a received object durable under a name. */
  point(id: string, pack: ReceivedPack | null, folder: string): Promise<void>;
  /** The ignore rules of a commit as one text. */
  rulesOf(commit: string): Promise<Buffer>;
}

const BUSY_AFTER_MS = 60_000;

/** Opens the vault; null: there is none. */
export async function openVault(git: HostGit, dir: string): Promise<Vault | null> {
  return (await stat(join(dir, "pawl/made")).catch(() => null)) === null ? null : vaultAt(git, dir);
}

/** Opens the vault, and makes it when there is none. */
export async function openOrCreateVault(git: HostGit, dir: string, format: Project["format"]): Promise<Vault> {
  const found = await openVault(git, dir);
  if (found !== null) return found;
  await createVault(git, dir, format);
  return vaultAt(git, dir);
}

function vaultAt(git: HostGit, dir: string): Vault {
  const temp = join(dir, "pawl/temp");
  const refs = createRefs(dir, temp);
  const ask: Vault["git"] = (doing, args, input) =>
    git.ask(doing, { args: [`--git-dir=${dir}`, ...args], ...(input === undefined ? {} : { input }) });

  const place = async (id: string, folder: string): Promise<void> => {
    const ref = await refs.prepare(id);
    try {
      await ref.putNext(folder);
    } catch (error) {
      await ref.drop();
      throw storeFailure(error, join(dir, folder));
    }
  };

  return {
    dir,
    objects: join(dir, "objects"),
    refs,
    uses: createUses(dir, BUSY_AFTER_MS, git.signal),
    bases: createBases(git, dir),
    git: ask,
    async namesOf(commit) {
      const args = [`--git-dir=${dir}`, "for-each-ref", `--points-at=${commit}`, "--format=%(refname)", "refs/pawl"];
      const { stdout } = await git.run({ args });
      return stdout
        .toString()
        .split("\n")
        .filter((line) => line !== "");
    },
    startImport: (isTrusted) => startImport({ git, vault: dir, temp, isTrusted }),
    async treeOf(commit) {
      const spec = `${commit}^{tree}`;
      const found = isObjectId(commit)
        ? await git.run({ args: [`--git-dir=${dir}`, "rev-parse", "--verify", "--quiet", spec] })
        : null;
      const tree = found?.stdout.toString().trim() ?? "";
      if (!isObjectId(tree)) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: commit.slice(0, 80) });
      return tree;
    },
    async keep(commit, pack, folder) {
      const { id, raw } = objectOf("commit", commitBytes(commit), formatOf(commit.tree));
      if (pack === null || !(await pack.has(commit.tree)))
        await ask("looking for a tree", ["cat-file", "-e", `${commit.tree}^{tree}`]);
      await Promise.all([pack?.accept(), writeLoose(dir, temp, id, raw)]);
      await place(id, folder);
      return id;
    },
    async point(id, pack, folder) {
      await pack?.accept();
      await place(id, folder);
    },
    rulesOf: (commit) => rulesOf({ dir, temp, ask }, commit),
  };
}

/** Read once per commit, then from a file. */
async function rulesOf(
  { dir, temp, ask }: { readonly dir: string; readonly temp: string; readonly ask: Vault["git"] },
  commit: string,
): Promise<Buffer> {
  const path = join(dir, "pawl/rules", commit);
  const stored = await readFile(path).catch(() => null);
  if (stored !== null) return stored;
  const listing = await ask("listing the ignore files", ["ls-tree", "-r", "-z", commit]);
  const entries = listing.toString("latin1").split("\0").flatMap(ignoreEntry);
  const input = entries.map(({ id }) => `${id}\n`).join("");
  const blobs =
    entries.length === 0 ? Buffer.alloc(0) : await ask("reading the ignore files", ["cat-file", "--batch"], input);
  const rules = Buffer.from(
    joinIgnoreRules(
      readBatch(
        blobs,
        entries.map(({ folder }) => folder),
      ),
    ),
    "latin1",
  );
  const file = join(temp, `rules-${randomName()}`);
  await writeDurable(file, rules, 0o600);
  await rename(file, path);
  await syncFolder(join(dir, "pawl/rules"));
  return rules;
}

function ignoreEntry(line: string): { id: string; folder: string }[] {
  const [, id, folder] = /^100\d{3} blob ([0-9a-f]+)\t(?:([\s\S]*)\/)?\.gitignore$/.exec(line) ?? [];
  return id === undefined ? [] : [{ id, folder: folder ?? "" }];
}

/** Output of `cat-file --batch`: for each object a line with its size, its bytes, a line end. */
function readBatch(output: Buffer, folders: readonly string[]): IgnoreFile[] {
  let at = 0;
  return folders.map((folder) => {
    const end = output.indexOf("\n", at);
    const size = Number(output.toString("latin1", at, end).split(" ")[2]);
    at = end + 1 + size + 1;
    return { folder, text: output.toString("latin1", end + 1, end + 1 + size) };
  });
}
