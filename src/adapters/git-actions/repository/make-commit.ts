/**
 * Makes a commit in the vault and carries it to the user's repository, checked object by object. The same content, parent,
 * message and time give the same commit, so doing it twice is doing it once.
 */
import type { RunId } from "../../../base/ids.ts";
import type { CommitFacts } from "./commits.ts";
import { ask, type Git } from "./run-git.ts";

const NAME = "Pawl";
const EMAIL = "pawl@localhost";

export interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  readonly at: CommitFacts["at"];
}

/** Makes the commit and gives it a name in the vault below the run. */
export async function commitInVault(git: Git, ref: string, { tree, parent, message, at }: NewCommit): Promise<string> {
  const made = git.vault(["commit-tree", "-p", parent, "-F", "-", tree], { input: message, env: signedAt(at) });
  const id = await ask("making a commit", made);
  await ask("keeping a commit", git.vault(["update-ref", ref, id]));
  return id;
}

/** A commit in the vault that says nothing but what it holds; it has no name. */
export function plainCommit(git: Git, tree: string, parent: string | null): Promise<string> {
  const after = parent === null ? [] : ["-p", parent];
  return ask("making a commit", git.vault(["commit-tree", ...after, "-m", "-", tree], { env: signedAt(0) }));
}

/** Who and when: the same for everything that is made from the same. */
function signedAt(at: number): Readonly<Record<string, string>> {
  const date = `@${at} +0000`;
  return {
    GIT_AUTHOR_NAME: NAME,
    GIT_AUTHOR_EMAIL: EMAIL,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: NAME,
    GIT_COMMITTER_EMAIL: EMAIL,
    GIT_COMMITTER_DATE: date,
  };
}

export const vaultRef = (run: RunId, kind: string, name: string): string => `refs/pawl/${run}/${kind}/${name}`;

/** Brings a commit of the user's repository into the vault when it is not there. */
export async function takeIntoVault(git: Git, root: string, branch: string, id: string): Promise<void> {
  if ((await git.vault(["cat-file", "-e", `${id}^{commit}`])).code === 0) return;
  await ask("reading your branch", git.vault(["fetch", ...QUIETLY, root, `refs/heads/${branch}`]));
}

/** Brings a commit of the vault, by a name or its id, into the user's repository; no branch is changed. */
export async function giveToProject(git: Git, vault: string, name: string): Promise<void> {
  await ask("handing over a commit", git.project(["fetch", ...QUIETLY, vault, name]));
}

const QUIETLY = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"];
