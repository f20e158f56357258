/** What changed between two trees, read from the vault: no attribute, driver or colour of anybody can hide a line. */
import { pawlError } from "../../../base/errors.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import type { ChangedFile, CountedFile, TreeDiff } from "../../../ports/trees.ts";
import { gitFailure } from "../failures.ts";
import type { GitCall, HostGit } from "../host-git.ts";
import type { Vault } from "../vault/vault.ts";
import { PLAIN, type RawChange, takeRaw } from "./raw-changes.ts";

const DOING = "comparing two trees";
const MOST_FILES = 100_000;
const MOST_LIST_BYTES = 256 << 20;
const STATUS: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  C: "copied",
  T: "type_changed",
};

export async function diffTrees(
  git: HostGit,
  vault: Vault,
  from: string,
  to: string,
  maxBytes: number,
): Promise<TreeDiff> {
  const call = await compare(vault, from, to);
  const [raw, patch] = await Promise.all([
    git.ask(DOING, call(["--raw", "-z"])),
    // Every file as text: a zero byte must not turn a change into "binary files differ".
    git.run({ ...call(["--patch", "--text"]), maxBytes }),
  ]);
  if (patch.code !== 0 && !patch.truncated) throw gitFailure(DOING, vault.dir, patch.stderr);
  return { files: takeRaw(raw.toString().split("\0")).map(fileOf), patch: patch.stdout, truncated: patch.truncated };
}

/** Rejects with WORKSPACE_TREE_TOO_LARGE when nobody could look at them all. */
export async function countChanges(git: HostGit, vault: Vault, from: string, to: string): Promise<CountedFile[]> {
  const call = await compare(vault, from, to);
  const list = await git.run({ ...call(["--raw", "--numstat", "-z"]), maxBytes: MOST_LIST_BYTES });
  const tooLarge = pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_TOO_LARGE", { doing: DOING, most: MOST_FILES });
  if (list.truncated) throw tooLarge;
  if (list.code !== 0) throw gitFailure(DOING, vault.dir, list.stderr);
  const parts = list.stdout.toString().split("\0");
  const changes = takeRaw(parts);
  if (changes.length > MOST_FILES) throw tooLarge;
  let at = 0;
  return changes.map((change) => {
    const [, added, deleted, name] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(parts[at] ?? "") ?? [];
    const path = change.oldPath === null ? name : parts[at + 2];
    if (added === undefined || deleted === undefined || path !== change.path)
      throw gitFailure(DOING, vault.dir, "fatal: git did not count every file");
    at += change.oldPath === null ? 1 : 3;
    return { ...fileOf(change), addedLines: countOf(added), deletedLines: countOf(deleted) };
  });
}

async function compare(vault: Vault, from: string, to: string): Promise<(args: readonly string[]) => GitCall> {
  for (const id of [from, to]) await vault.treeOf(id);
  const head = ["-c", "core.attributesFile=/dev/null", `--git-dir=${vault.dir}`];
  return (args) => ({ args: [...head, "diff-tree", ...PLAIN, "-M", ...args, from, to] });
}

function fileOf({ letter, path, oldPath, oldMode, newMode }: RawChange): ChangedFile {
  const status = STATUS[letter] ?? "modified";
  return oldPath === null ? { status, path, oldMode, newMode } : { status, path, oldPath, oldMode, newMode };
}

function countOf(text: string): number | null {
  return text === "-" ? null : Number(text);
}
