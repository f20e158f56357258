/** What differs between two trees, path by path, as git tells it without reading any attribute or configuration of them. */
import { askBytes, type RunGit } from "./run-git.ts";

export interface ChangedEntry {
  /** One letter as in `git diff --raw`. */
  readonly status: string;
  /** Bytes, one character each. */
  readonly path: string;
  readonly oldPath: string | null;
  readonly oldMode: string;
  readonly oldId: string;
  readonly newMode: string;
  readonly newId: string;
}

export interface LineCounts {
  /** null: the file is binary. */
  readonly added: number | null;
  readonly removed: number | null;
}

const PLAIN = ["-r", "-M", "--no-textconv", "--no-ext-diff", "--no-color", "--ignore-submodules=none"];

/** Each path that differs, by itself: what was renamed is gone at one place and new at another. */
export function changedPaths(git: RunGit, from: string, to: string): Promise<readonly ChangedEntry[]> {
  return entriesOf(git, ["--no-renames", from, to]);
}

export function changedEntries(git: RunGit, from: string, to: string): Promise<readonly ChangedEntry[]> {
  return entriesOf(git, [from, to]);
}

async function entriesOf(git: RunGit, args: readonly string[]): Promise<readonly ChangedEntry[]> {
  const bytes = await askBytes("comparing trees", git(["diff-tree", ...PLAIN, "--raw", "--no-abbrev", "-z", ...args]));
  const parts = bytes.toString("latin1").split("\0");
  const entries: ChangedEntry[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const [oldMode = "", newMode = "", oldId = "", newId = "", status = ""] = (parts[at] ?? "").slice(1).split(" ");
    const isRename = /^[RC]/.test(status);
    const [first = "", second = ""] = parts.slice(at + 1, at + 3);
    entries.push({
      status: status.slice(0, 1),
      path: isRename ? second : first,
      oldPath: isRename ? first : null,
      oldMode,
      oldId,
      newMode,
      newId,
    });
    at += isRename ? 3 : 2;
  }
  return entries;
}

/** In the order of `changedEntries`. */
export async function lineCounts(git: RunGit, from: string, to: string): Promise<readonly LineCounts[]> {
  const bytes = await askBytes("counting lines", git(["diff-tree", ...PLAIN, "--numstat", "-z", from, to]));
  const lines = bytes.toString("latin1").matchAll(/(?:^|\0)(\d+|-)\t(\d+|-)\t/g);
  return [...lines].map(([, added, removed]) => ({ added: countOf(added), removed: countOf(removed) }));
}

/** The whole change; it can be applied. */
export function patchBetween(git: RunGit, from: string, to: string): Promise<Buffer> {
  return askBytes(
    "writing the diff",
    git(["diff-tree", ...PLAIN, "-p", "--binary", "--full-index", "--text", from, to]),
  );
}

function countOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}
