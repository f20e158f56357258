/** A mainline in memory: commits are maps of paths to texts, and a file that both have changed is a conflict. */
import { sha256 } from "../../../base/digest.ts";
import { pawlError } from "../../../base/errors.ts";
import { canonical } from "../../../base/json.ts";
import { GIT_ERRORS } from "../../../ports/errors/git-errors.ts";
import type { Mainline } from "../../../ports/loops/mainline.ts";

export type MemoryFiles = Readonly<Record<string, string>>;

interface Commit {
  readonly files: MemoryFiles;
  readonly parent: string | null;
}

export interface MemoryRepository {
  readonly commits: Map<string, Commit>;
  readonly branches: Map<string, string>;
}

export interface MemoryMainline extends Mainline {
  /** Makes a commit and lets the branch point at it. */
  commit(branch: string, files: MemoryFiles, parent: string | null): string;
  /** What a commit holds, and what it was made on. */
  files(commit: string): MemoryFiles;
  parentOf(commit: string): string | null;
}

export function createMemoryMainline(
  repository: MemoryRepository = { commits: new Map(), branches: new Map() },
): MemoryMainline {
  const { commits, branches } = repository;
  const add = (commit: Commit, key: string): string => {
    const id = sha256(canonical({ ...commit, key })).slice(0, 40);
    commits.set(id, commit);
    return id;
  };
  const files = (id: string): MemoryFiles => commits.get(id)?.files ?? {};
  const isOn = (commit: string, tip: string | null): boolean => {
    for (let at = tip; at !== null; at = commits.get(at)?.parent ?? null) if (at === commit) return true;
    return false;
  };
  return {
    commit(branch, content, parent) {
      const id = add({ files: content, parent }, branch);
      branches.set(branch, id);
      return id;
    },
    files,
    parentOf: (id) => commits.get(id)?.parent ?? null,
    async proposal(run, tree, branch = `pawl/${run}`) {
      const source = branches.get(branch);
      if (source === undefined || source !== tree) throw pawlError(GIT_ERRORS, "GIT_BRANCH_MISSING", { branch });
      return { branch, source, base: commits.get(source)?.parent ?? source };
    },
    current: async () => (branches.has("main") ? "main" : null),
    tip: async (branch) => branches.get(branch) ?? null,
    holds: async (branch, commit) => isOn(commit, branches.get(branch) ?? null),
    async stack(onto, { key, base, source }) {
      if (![onto, base, source].every((id) => commits.has(id)))
        return { conflicts: [], why: "a commit that it is made of is gone" };
      const merged = mergeFiles(files(base), files(onto), files(source));
      if ("conflicts" in merged) return { conflicts: merged.conflicts, why: "both have changed the same file" };
      if (isSame(merged.files, files(onto))) return { nothing: true };
      const commit = add({ files: merged.files, parent: onto }, key);
      return { commit, exact: isSame(merged.files, files(source)) };
    },
    async advance(branch, from, to) {
      if (branches.get(branch) !== from) return { moved: false, raced: true, why: "somebody was quicker" };
      branches.set(branch, to);
      return { moved: true };
    },
    mend: async () => undefined,
    changed: async (from, to) => changedPaths(files(from), files(to)),
  };
}

function changedPaths(from: MemoryFiles, to: MemoryFiles): readonly string[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names.filter((name) => from[name] !== to[name]);
}

function isSame(one: MemoryFiles, other: MemoryFiles): boolean {
  return changedPaths(one, other).length === 0;
}

function mergeFiles(
  base: MemoryFiles,
  ours: MemoryFiles,
  theirs: MemoryFiles,
): { readonly files: MemoryFiles } | { readonly conflicts: readonly string[] } {
  const moved = changedPaths(base, theirs);
  const conflicts = moved.filter((path) => ours[path] !== base[path] && ours[path] !== theirs[path]);
  if (conflicts.length > 0) return { conflicts };
  const files: Record<string, string> = { ...ours };
  for (const path of moved) {
    const text = theirs[path];
    if (text === undefined) delete files[path];
    else files[path] = text;
  }
  return { files };
}
