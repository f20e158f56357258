/**
 * The tree that is judged. It is made of objects of the vault, by their names alone: no file of any tree is laid out, and
 * nothing in a tree tells git what to do.
 */
import type { RunId } from "../../../base/ids.ts";
import { compileProtection, type EntryKind, restoredPaths } from "../../../gates/protected-paths.ts";
import type { Composition } from "../../../ports/workspaces.ts";
import type { HostGit } from "../host-git.ts";
import { findFooting, recordFooting } from "../vault/footing.ts";
import type { Vault } from "../vault/vault.ts";
import { PLAIN, type RawChange, takeRaw } from "./raw-changes.ts";
import { kindOf } from "./read-tree.ts";
import { writeTree } from "./write-tree.ts";

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
    const changes = { doing: DOING, from: candidate, edits: async () => lines };
    return writeTree(git, vault, changes, (tree, pack) =>
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
