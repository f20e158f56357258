/** Locks that a git leaves when it is killed while it moves a branch: that of the branch, and that of the HEAD which stands on it. */
import { readFile, rm, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { pathOf } from "./checkout.ts";
import { branchRef } from "./commits.ts";
import type { Kept } from "./landing-record.ts";
import type { RunGit } from "./run-git.ts";

/** A git that lives is done with a branch in less than this. */
const STANDS_MS = 1000;

/** Only what is younger than the record, and either says what we wanted or stands there without a word. */
export async function dropRefLocks(git: RunGit, into: string, kept: Kept): Promise<void> {
  const inFolder: RunGit = (args, call) => git(kept.folder === null ? args : ["-C", kept.folder, ...args], call);
  for (const name of [branchRef(into), "HEAD"]) {
    const path = await pathOf(inFolder, name).catch(() => null);
    if (path !== null && (await isLeft(`${path}.lock`, kept))) await rm(`${path}.lock`, { force: true });
  }
}

async function isLeft(lock: string, { to, at }: Kept): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  if (found === null || found.mtimeMs < at) return false;
  const said = (await readFile(lock, "utf8").catch(() => "")).trim();
  if (said === to) return true;
  if (said !== "") return false;
  await pause(STANDS_MS);
  const again = await stat(lock).catch(() => null);
  return again?.ino === found.ino && again.mtimeMs === found.mtimeMs && again.size === found.size;
}
