/**
 * A working tree of the user in which the target of a merge is checked out. It is changed only when nothing in it would
 * be lost, and no program that the new files could ask for is run: filters are switched off.
 */
import { isSo, type RunGit } from "./run-git.ts";

export interface Checkout {
  readonly folder: string;
  /** It holds the new tree already: an earlier attempt ended between the files and the branch. */
  readonly isAhead: boolean;
  readonly env: Readonly<Record<string, string>>;
}

/** undefined: it holds changes that are nowhere else, or something is under way there. */
export async function inspectCheckout(
  git: RunGit,
  folder: string,
  old: string,
  next: string,
): Promise<Checkout | undefined> {
  const env = await withoutFilters(git, folder);
  const inFolder: RunGit = (args) => git(["-C", folder, ...args], { env });
  for (const state of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    if (await isSo("looking at a checkout", inFolder(["rev-parse", "--verify", "--quiet", state]))) return undefined;
  }
  await inFolder(["update-index", "-q", "--refresh"]);
  if ((await inFolder(["diff-files", "--quiet", "--ignore-submodules=dirty"])).code !== 0) return undefined;
  const holds = async (commit: string): Promise<boolean> =>
    (await inFolder(["diff-index", "--cached", "--quiet", commit, "--"])).code === 0;
  if (await holds(old)) return { folder, isAhead: false, env };
  return (await holds(next)) ? { folder, isAhead: true, env } : undefined;
}

/** Takes index and files from one commit to another; false: a file is in the way, and nothing was changed. */
export async function advanceCheckout(git: RunGit, checkout: Checkout, from: string, to: string): Promise<boolean> {
  const { folder, isAhead, env } = checkout;
  if (isAhead) return true;
  return (await git(["-C", folder, "read-tree", "-m", "-u", from, to], { env })).code === 0;
}

/** Attributes in the new files choose among the filters that the user has configured; here there are none. */
async function withoutFilters(git: RunGit, folder: string): Promise<Readonly<Record<string, string>>> {
  const listed = git(["-C", folder, "config", "-z", "--name-only", "--get-regexp", "^filter\\."]);
  const stdout = (await isSo("listing filters", listed)) ? (await listed).stdout : "";
  const drivers = new Set(
    stdout
      .toString()
      .split("\0")
      .filter((name) => name !== "")
      .map((name) => name.slice(0, name.lastIndexOf("."))),
  );
  const off = [...drivers].flatMap((driver) => [
    [`${driver}.clean`, ""],
    [`${driver}.smudge`, ""],
    [`${driver}.process`, ""],
    [`${driver}.required`, "false"],
  ]);
  const settings = off.flatMap(([name = "", value = ""], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(off.length), ...Object.fromEntries(settings) };
}
