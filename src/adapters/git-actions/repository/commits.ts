/** Questions about commits of the user's repository and the vault, and the two ways to change a branch. */
import { pawlError } from "../../../base/errors.ts";
import { GIT_ERRORS } from "../../../ports/errors/git-errors.ts";
import { type Mark, markOf } from "./message.ts";
import { ask, type Git, isSo, type RunGit } from "./run-git.ts";

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** A run that saved more often than this is looked through further only in vain. */
const DEPTHS = [100, 5000, 200_000] as const;
const MOST_COMMITS = 10_000;
/** The exit code of git for an object that is not there. */
const NO_OBJECT = 128;

export interface CommitFacts {
  readonly tree: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly message: string;
}

export interface MarkedCommit {
  readonly id: string;
  readonly mark: Mark | null;
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`;

/** undefined: there is no such commit. */
export async function commitFacts(git: RunGit, id: string): Promise<CommitFacts | undefined> {
  if (!ID.test(id)) return undefined;
  const found = git(["cat-file", "commit", id]);
  if ((await found).code === NO_OBJECT) return undefined;
  const text = await ask("reading a commit", found);
  const end = text.indexOf("\n\n");
  const head = end < 0 ? text : text.slice(0, end);
  const tree = /^tree (\S+)$/m.exec(head)?.[1];
  const at = /^committer .*> (\d+) \S+$/m.exec(head)?.[1];
  return tree === undefined ? undefined : { tree, at: Number(at ?? 0), message: end < 0 ? "" : text.slice(end + 2) };
}

/** undefined: there is no such branch. */
export async function branchTip(git: RunGit, branch: string): Promise<string | undefined> {
  const spec = `${branchRef(branch)}^{commit}`;
  const found = git(["rev-parse", "--verify", "--quiet", "--end-of-options", spec]);
  return (await isSo("reading a branch", found)) ? (await found).stdout.toString().trim() : undefined;
}

export async function isAncestor(git: RunGit, older: string, newer: string): Promise<boolean> {
  return older === newer || isSo("comparing commits", git(["merge-base", "--is-ancestor", older, newer]));
}

/** The commit of the user that a saved tree goes back to. Rejects with GIT_BASE_MISSING. */
export async function baseOf(git: Git, tree: string, root: string): Promise<string> {
  for (const depth of DEPTHS) {
    const listed = await ask(
      "walking back to the base",
      git.vault(["rev-list", "--first-parent", `--max-count=${depth}`, tree]),
    );
    const known = await ask(
      "looking for the base",
      git.project(["cat-file", "--batch-check"], { input: `${listed}\n` }),
    );
    const found = known.split("\n").find((line) => / commit \d+$/.test(line));
    if (found !== undefined) return found.split(" ")[0] as string;
    if (listed.split("\n").length < depth) break;
  }
  throw pawlError(GIT_ERRORS, "GIT_BASE_MISSING", { root });
}

/** Commits that `tip` has and `base` has not, on its first line, newest first; undefined: too many to tell. */
export async function commitsSince(
  git: RunGit,
  base: string,
  tip: string,
): Promise<readonly MarkedCommit[] | undefined> {
  const range = [`--max-count=${MOST_COMMITS}`, "--no-commit-header", "--format=%H%n%B%x00", tip, `^${base}`];
  const text = await ask("reading a branch", git(["rev-list", "--first-parent", ...range]));
  const commits = text
    .split("\0")
    .map((entry) => entry.replace(/^\n/, ""))
    .filter((entry) => entry !== "");
  if (commits.length >= MOST_COMMITS) return undefined;
  return commits.map((entry) => ({ id: entry.slice(0, entry.indexOf("\n")), mark: markOf(entry) }));
}

/** Whether everything on the branch since the base was made by this run. */
export async function isOfRun(git: RunGit, base: string, tip: string, run: string): Promise<boolean> {
  if (!(await isAncestor(git, base, tip))) return false;
  const made = await commitsSince(git, base, tip);
  return made?.every(({ mark }) => mark?.run === run) === true;
}

/** Moves a branch from `old` (undefined: it must not exist) to `id`; false: somebody was quicker. */
export async function moveBranch(
  git: RunGit,
  branch: string,
  id: string,
  old: string | undefined,
  key: string,
): Promise<boolean> {
  const expected = old ?? "0".repeat(id.length);
  const { code } = await git(["update-ref", "--no-deref", "-m", `pawl: ${key}`, branchRef(branch), id, expected]);
  // Git may have been cut off after it had moved the branch.
  return code === 0 || (await branchTip(git, branch)) === id;
}

/** The folder in which a branch is checked out; undefined: nowhere. */
export async function checkoutOf(git: RunGit, branch: string): Promise<string | undefined> {
  const found = (await workingTrees(git)).find(({ lines }) => lines.includes(`branch ${branchRef(branch)}`));
  return found?.folder;
}

/** Working trees of the repository that are still there. */
export async function workingTrees(
  git: RunGit,
): Promise<readonly { readonly folder: string; readonly lines: readonly string[] }[]> {
  const text = await ask("listing working trees", git(["worktree", "list", "--porcelain", "-z"]));
  const trees = text.split("\0\0").map((entry) => entry.split("\0"));
  const there = trees.filter((lines) => !lines.some((line) => line === "bare" || /^prunable\b/.test(line)));
  return there.flatMap((lines) => {
    const folder = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    return folder === undefined ? [] : [{ folder, lines }];
  });
}
