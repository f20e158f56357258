/**
 * A working tree of the user in which the target of a merge is checked out. It is changed only when nothing in it would be lost, and no program that the
 * new files could ask for is run: filters are switched off. Meanwhile its index is locked, as git locks it, with a file that says whose it is; git
 * works on an index of our own, so that whatever it is cut off at is told from what the user does.
 */
import { copyFile, link, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changedPaths } from "./changes.ts";
import type { Kept } from "./landing-record.ts";
import { ask, isSo, type RunGit } from "./run-git.ts";
import { lookAt, placeAt } from "./spot.ts";

export interface Checkout {
  readonly folder: string;
  /** Git in the folder, with the index of our own. */
  readonly git: RunGit;
  readonly index: string;
  readonly ownIndex: string;
}

const NO_MODE = "000000";
const SUBMODULE = "160000";

export async function openCheckout(git: RunGit, folder: string): Promise<Checkout> {
  const inFolder: RunGit = (args, call) => git(["-C", folder, ...args], call);
  const index = await pathOf(inFolder, "index");
  const ownIndex = join(dirname(index), "pawl-landing-index");
  const env = { ...(await withoutFilters(inFolder)), GIT_INDEX_FILE: ownIndex };
  return { folder, index, ownIndex, git: (args, call) => inFolder(args, { ...call, env }) };
}

/** A file of a working tree's own part of the repository. */
export function pathOf(inFolder: RunGit, name: string): Promise<string> {
  return ask("finding a file of git", inFolder(["rev-parse", "--path-format=absolute", "--git-path", name]));
}

/** false: another git is at work there, or one that was is gone. */
export async function lockIndex({ index }: Checkout, { text }: Kept): Promise<boolean> {
  const own = `${index}.pawl`;
  await rm(own, { force: true });
  const handle = await open(own, "wx", 0o600);
  await handle.writeFile(text).finally(() => handle.close());
  try {
    await link(own, `${index}.lock`);
    await syncFolder(dirname(index));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

export async function hasLocked({ index }: Checkout, { text }: Kept): Promise<boolean> {
  return (await readFile(`${index}.lock`, "utf8").catch(() => null)) === text;
}

/** Lets the user's git in again. */
export async function unlockIndex({ index, ownIndex }: Checkout): Promise<void> {
  await rm(`${ownIndex}.lock`, { force: true });
  await rm(ownIndex, { force: true });
  await rm(`${index}.pawl`, { force: true });
  await rm(`${index}.lock`, { force: true });
}

/** Our own index begins as that of the user. What a git that was cut off has left of it is gone. */
export async function copyIndex({ index, ownIndex }: Checkout): Promise<void> {
  await rm(`${ownIndex}.lock`, { force: true });
  await rm(ownIndex, { force: true });
  await copyFile(index, ownIndex).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** Our own index becomes that of the user. */
export function giveIndex({ index, ownIndex }: Checkout): Promise<void> {
  return rename(ownIndex, index);
}

/** Where files and our own index, as git sees it, are; null: something would be lost if they were taken from one commit to the other. */
export async function inspectFiles(checkout: Checkout, from: string, to: string): Promise<"from" | "to" | null> {
  const { git } = checkout;
  for (const state of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    if (await isSo("looking at a checkout", git(["rev-parse", "--verify", "--quiet", state]))) return null;
  }
  await git(["update-index", "-q", "--refresh"]);
  if ((await git(["diff-files", "--quiet", "--ignore-submodules=dirty"])).code !== 0) return null;
  const holds = async (commit: string): Promise<boolean> =>
    (await git(["diff-index", "--cached", "--quiet", commit, "--"])).code === 0;
  if (await holds(from)) return (await isInTheWay(checkout, from, to)) ? null : "from";
  return (await holds(to)) ? "to" : null;
}

/** false: something is in the way, and nothing was changed. */
export async function advanceFiles({ git }: Checkout, from: string, to: string): Promise<boolean> {
  return (await git(["read-tree", "-m", "-u", from, to])).code === 0;
}

/** Files of the user where new ones would be. Git itself would overwrite those that it ignores. */
async function isInTheWay({ folder, git }: Checkout, from: string, to: string): Promise<boolean> {
  const changes = await changedPaths(git, from, to);
  const known = new Set(changes.filter(({ oldMode }) => oldMode !== NO_MODE).map(({ path }) => path));
  for (const { path, oldMode, newMode } of changes) {
    if (oldMode !== NO_MODE || newMode === SUBMODULE) continue;
    const spot = await lookAt(folder, path);
    const isFree = spot.is === "nothing" || (spot.is === "blocked" && known.has(spot.by));
    if (isFree) continue;
    if (spot.is !== "folder" || (await hasStrangers(folder, path, known))) return true;
  }
  return false;
}

/** Whether the folder holds more than what goes with the change. */
async function hasStrangers(folder: string, path: string, known: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(placeAt(folder, path), { withFileTypes: true, encoding: "buffer" })) {
    const below = `${path}/${entry.name.toString("latin1")}`;
    const isStranger = entry.isDirectory() ? await hasStrangers(folder, below, known) : !known.has(below);
    if (isStranger) return true;
  }
  return false;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** Attributes in the new files choose among the filters that the user has configured; here there are none. */
async function withoutFilters(inFolder: RunGit): Promise<Readonly<Record<string, string>>> {
  const listed = inFolder(["config", "-z", "--name-only", "--get-regexp", "^filter\\."]);
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
