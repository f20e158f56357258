/**
 * Branches of the user onto which changes are put. A change is carried over between trees of the vault, where nothing that a stage wrote is
 * configuration: no filter, no driver and no hook is run, and no working tree is needed.
 */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import type { Advanced, Carried, Mainline, Stacked } from "../../ports/loops/mainline.ts";
import { ownBranch } from "./input.ts";
import { handedOn } from "./push-action.ts";
import { changedEntries } from "./repository/changes.ts";
import { baseOf, branchTip, commitFacts, isAncestor } from "./repository/commits.ts";
import { land, mendLanding } from "./repository/landing.ts";
import { commitInVault, giveToProject, plainCommit, takeIntoVault, vaultRef } from "./repository/make-commit.ts";
import { certificateLine, markedMessage, withoutMark } from "./repository/message.ts";
import { createGit, detailOf, type Git } from "./repository/run-git.ts";
import type { Scope } from "./scope.ts";

export interface GitMainlineOptions extends Pick<Scope, "root" | "vault" | "holdVault"> {
  readonly env: Readonly<Record<string, string>>;
  readonly gitProgram?: string;
}

/** The exit code of `git merge-tree` where both have changed the same place. */
const CONFLICT = 1;

type Parts = Pick<Scope, "git" | "root" | "vault">;

export function createGitMainline(options: GitMainlineOptions): Mainline {
  const { root, vault, holdVault, env, gitProgram: program = "git" } = options;
  const git = createGit({ program, root, vault, env });
  const parts: Parts = { git, root, vault };
  return {
    async proposal(run, tree, name) {
      const facts = await commitFacts(git.vault, tree);
      if (facts === undefined) throw pawlError(GIT_ERRORS, "GIT_TREE_MISSING", { action: "merge.queue" });
      const branch = ownBranch(name === undefined ? {} : { branch: name }, "branch", run);
      const source = await handedOn(parts, branch, run, { ...facts, id: tree });
      return { branch, source, base: await baseOf(git, tree, root) };
    },
    async current() {
      const { code, stdout } = await git.project(["symbolic-ref", "--quiet", "--short", "HEAD"]);
      return code === 0 ? stdout.toString().trim() : null;
    },
    tip: async (branch) => (await branchTip(git.project, branch)) ?? null,
    async holds(branch, commit) {
      const tip = await branchTip(git.project, branch);
      const isKnown = (await commitFacts(git.project, commit)) !== undefined;
      return tip !== undefined && isKnown && isAncestor(git.project, commit, tip);
    },
    stack: (onto, change) => holdVault(() => stack(parts, onto, change)),
    advance: (branch, from, to, key) => holdVault(() => advanceBranch(parts, branch, { from, to, key })),
    mend: (branch) => holdVault(() => mendLanding(parts, branch)),
    async changed(from, to) {
      const entries = await changedEntries(git.project, from, to);
      return entries.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]).map(asText));
    },
  };
}

/** Git tells bytes, one character each. */
function asText(path: string): string {
  return Buffer.from(path, "latin1").toString();
}

async function stack({ git, root }: Parts, onto: string, change: Carried): Promise<Stacked> {
  const { run, key, into, branch, base, source, at } = change;
  await takeIntoVault(git, root, into, onto);
  await takeIntoVault(git, root, branch, source);
  const found = await Promise.all([base, onto, source].map((id) => commitFacts(git.vault, id)));
  const [older, ours, theirs] = found;
  if (older === undefined || ours === undefined || theirs === undefined)
    return { conflicts: [], why: "a commit that it is made of is gone" };
  const merged = await mergeTrees(git, older.tree, ours.tree, theirs.tree);
  if ("conflicts" in merged) return merged;
  const { tree } = merged;
  if (tree === ours.tree) return { nothing: true };
  const exact = tree === theirs.tree;
  // The certificate is about a tree and what it was compared with.
  const trailer = exact && base === onto ? certificateLine(theirs.message) : null;
  const message = markedMessage(withoutMark(theirs.message), { run, stage: "merge", key }, "message", trailer);
  const commit = await commitInVault(git, vaultRef(run, "merges", onto), {
    ...{ tree, message, parent: onto, at: Math.floor(at / 1000) },
  });
  return { commit, exact };
}

/** Three commits that are nothing but their trees: what git compares does not depend on any history. */
async function mergeTrees(
  git: Git,
  base: string,
  ours: string,
  theirs: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[]; readonly why: string }> {
  const root = await plainCommit(git, base, null);
  const [one, other] = [await plainCommit(git, ours, root), await plainCommit(git, theirs, root)];
  const args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", one, other];
  const { code, stdout, stderr } = await git.vault(args);
  const [tree = "", ...names] = stdout.toString().split("\0");
  if (code === 0) return { tree };
  const conflicts = [...new Set(names.filter((name) => name !== ""))];
  if (code === CONFLICT && conflicts.length > 0) return { conflicts, why: "both have changed the same place" };
  throw pawlError(GIT_ERRORS, "GIT_COMMAND_FAILED", { doing: "carrying a change over", detail: detailOf(stderr) });
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly key: string;
}

async function advanceBranch({ git, vault }: Parts, into: string, { from, to, key }: Move): Promise<Advanced> {
  try {
    await giveToProject(git, vault, to);
    await land({ git, vault }, { into, from, to, key });
    return { moved: true };
  } catch (error) {
    if (!isPawlError(error) || !/^GIT_TARGET_(?:MOVED|DIRTY|BUSY)$/.test(error.code)) throw error;
    // A checkout that went on with its branch is told as one that was changed.
    const raced = (await branchTip(git.project, into)) !== from;
    return { moved: false, raced, why: error.message };
  }
}
