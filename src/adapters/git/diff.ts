/** What changed between two trees, read from the vault: no attribute, driver or colour of anybody can hide a line. */

import type { ChangedFile, TreeDiff } from "../../ports/trees.ts";
import { gitFailure } from "./failures.ts";
import type { HostGit } from "./host-git.ts";
import { isObjectId } from "./vault/commit.ts";
import type { Vault } from "./vault/vault.ts";

const STATUS: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  C: "copied",
  T: "type_changed",
};
const PLAIN = [
  "-r",
  "-M",
  "--full-index",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=none",
];

export async function diffTrees(
  git: HostGit,
  vault: Vault,
  from: string,
  to: string,
  maxBytes: number,
): Promise<TreeDiff> {
  for (const id of [from, to]) await vault.treeOf(id);
  const call = (args: readonly string[]) => ({
    args: [`--git-dir=${vault.dir}`, "diff-tree", ...PLAIN, ...args, from, to],
  });
  const [raw, patch] = await Promise.all([
    git.ask("comparing two trees", call(["--raw", "-z"])),
    // Every file as text: a zero byte must not turn a change into "binary files differ".
    git.run({ ...call(["--patch", "--text"]), maxBytes }),
  ]);
  if (patch.code !== 0 && !patch.truncated) throw gitFailure("comparing two trees", vault.dir, patch.stderr);
  return { files: readRaw(raw.toString()), patch: patch.stdout, truncated: patch.truncated };
}

/** `:oldmode newmode oldid newid status`, then one path or two, all ended by a zero byte. */
function readRaw(text: string): ChangedFile[] {
  const parts = text.split("\0").values();
  const files: ChangedFile[] = [];
  for (const head of parts) {
    const [, oldMode, newMode, oldId, , letter] = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(head) ?? [];
    if (oldMode === undefined || newMode === undefined || oldId === undefined || !isObjectId(oldId)) continue;
    const status = STATUS[letter as string] ?? "modified";
    const first = parts.next().value ?? "";
    if (status !== "renamed" && status !== "copied") files.push({ status, path: first, oldMode, newMode });
    else files.push({ status, path: parts.next().value ?? "", oldPath: first, oldMode, newMode });
  }
  return files;
}
