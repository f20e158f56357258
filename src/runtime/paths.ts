/** Where things live below a project root. `.pawl/` is ours; nothing else is written unless a stage's effect says so. */
import { constants } from "node:fs";
import { access, lstat, mkdir, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { pawlError } from "../base/errors.ts";
import { JOURNAL_ERRORS } from "../ports/errors/journal-errors.ts";
import type { Repository } from "./find-repository.ts";

export interface StatePaths {
  readonly state: string;
  readonly artifacts: string;
  readonly temp: string;
  /** What processes under way have printed so far. */
  readonly logs: string;
  readonly heartbeats: string;
  readonly workspaces: string;
  /** Model calls of attempts under way. */
  readonly calls: string;
  /** What was accepted of MCP servers. */
  readonly mcp: string;
  /** Skills as they were read, by digest. */
  readonly skills: string;
  /** What agents keep from one attempt to the next. */
  readonly agents: string;
  /** Every tree that was saved, in a repository of our own. */
  readonly vault: string;
  /** Whose turn it is to change a file that people and loops share. */
  readonly texts: string;
}

export function statePaths(root: string): StatePaths {
  const state = join(root, ".pawl");
  const below = (name: string): string => join(state, name);
  return {
    state,
    artifacts: below("artifacts"),
    temp: below("tmp"),
    logs: below("logs"),
    heartbeats: below("heartbeats"),
    workspaces: below("workspaces"),
    calls: below("calls"),
    mcp: below("mcp"),
    skills: below("skills"),
    agents: below("agents"),
    vault: below("vault.git"),
    texts: below("texts.lock"),
  };
}

/** Those that lie in the project, relative to it. */
export function fromProject({ folder }: Repository, paths: readonly string[]): readonly string[] {
  const ways = paths.map((path) => posix.relative(folder, path));
  return ways.filter((way) => way !== "" && way !== ".." && !way.startsWith("../"));
}

/** ENOENT is what Node.js says of a folder that cannot be made on a disk that is mounted read-only. */
const UNWRITABLE: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOENT"]);
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
const ERRNO = /^E[A-Z0-9]+$/;

/** Ours alone, and invisible to git without touching a file of the user's. */
export async function prepareState(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await hideFromGit(join(dir, ".gitignore"));
    // Asked now, because a run that learns it in the middle would have begun something.
    await access(dir, constants.W_OK);
  } catch (error) {
    throw stateProblem(dir, error);
  }
}

/** A file without a word was left by somebody who was stopped, or had no space, before it was written. */
async function hideFromGit(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && (!found.isFile() || found.size > 0)) return;
  await writeFile(path, "*\n").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EROFS" && error.code !== "EACCES") throw error;
  });
}

/** What to tell of a state directory that cannot be prepared. What the file system has not said is a defect, and returned as it is. */
export function stateProblem(dir: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const because = { cause: error };
  if (UNWRITABLE.has(code)) return pawlError(JOURNAL_ERRORS, "JOURNAL_READ_ONLY", { file: dir }, because);
  if (FULL.has(code)) return pawlError(JOURNAL_ERRORS, "JOURNAL_DISK_FULL", { file: dir }, because);
  if (!ERRNO.test(code)) return error;
  return pawlError(JOURNAL_ERRORS, "JOURNAL_IO", { file: dir, detail: error.message }, because);
}
