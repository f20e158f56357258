/** Packs what can be reached from a commit, straight from a repository that no stage could write. It is left as it is. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitFailure } from "../failures.ts";
import type { GitCall, HostGit } from "../host-git.ts";

/** The user's repository, or the vault itself. */
export interface ObjectSource {
  readonly objects: string;
  /** The file that names the commits whose parents are not there; null: the history is whole. */
  readonly shallow: string | null;
  call(args: readonly string[]): GitCall;
}

export interface PackRequest {
  readonly commit: string;
  /** What can be reached from it is there already. */
  readonly ancestor: string | null;
  /** Where the packs go. */
  readonly packs: string;
  /** An object folder for what git writes meanwhile; on the same disk. */
  readonly scratch: string;
}

/** How far back a base is looked for that a new one can be built upon. */
const MOST_STEPS = 5000;
/** With so many it is told where a commit parted from them. */
const MOST_OTHERS = 500;
const NAME = /^[0-9a-f]{40,64}$/;
/** A commit has the parents that it names, whatever a file in the repository says. */
const PLAIN = { GIT_GRAFT_FILE: "/dev/null" };

/** Resolves to the names of the packs, such as `pack-1234…`. Deltas are used again and none is looked for. */
export async function packReachable(git: HostGit, source: ObjectSource, request: PackRequest): Promise<string[]> {
  const { commit, ancestor, packs, scratch } = request;
  // Synced by the caller, all files at once.
  const settings = ["core.fsync=none", "pack.packSizeLimit=0", "pack.compression=1"].flatMap((one) => ["-c", one]);
  const flags = ["-q", "--revs", "--window=0", "--delta-base-offset", "--no-use-bitmap-index"];
  const call = source.call([...settings, "pack-objects", ...flags, join(packs, "pack")]);
  const said = await git.ask("taking a commit into the vault", {
    ...call,
    input: ancestor === null ? `${commit}\n` : `${commit}\n^${ancestor}\n`,
    env: {
      ...call.env,
      ...PLAIN,
      GIT_OBJECT_DIRECTORY: scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(source.objects),
    },
  });
  const names = linesOf(said).filter((line) => NAME.test(line));
  if (names.length === 0) throw gitFailure("taking a commit into the vault", packs, "fatal: git named no pack");
  return names.map((name) => `pack-${name}`);
}

/** The nearest of these commits that the given one goes back to; null: none of them is near. */
export async function findAncestor(
  git: HostGit,
  source: ObjectSource,
  commit: string,
  known: ReadonlySet<string>,
): Promise<string | null> {
  const call = source.call(["rev-list", `--max-count=${MOST_STEPS}`, commit]);
  const listed = await git.ask("looking for a base", { ...call, env: { ...call.env, ...PLAIN } });
  return linesOf(listed).find((line) => known.has(line)) ?? null;
}

/** The commit at which the given one parted from these; null: it never was one with any that the repository still has. */
export async function findFork(
  git: HostGit,
  source: ObjectSource,
  commit: string,
  others: readonly string[],
): Promise<string | null> {
  const check = source.call(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
  const input = others.map((id) => `${id}\n`).join("");
  const found = linesOf(await git.ask("looking for a base", { ...check, input }));
  const there = found.flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, -" commit".length)] : []));
  if (there.length === 0) return null;
  const call = source.call(["merge-base", commit, ...there.slice(0, MOST_OTHERS)]);
  const { code, stdout } = await git.run({ ...call, env: { ...call.env, ...PLAIN } });
  return code === 0 ? (linesOf(stdout)[0] ?? null) : null;
}

/** The lines of a shallow file for this commit alone: where its own history ends; "" when it is whole. */
export async function readShallow(git: HostGit, source: ObjectSource, commit: string): Promise<string> {
  if (source.shallow === null) return "";
  const ends = new Set((await readFile(source.shallow, "latin1")).split("\n"));
  const call = source.call(["rev-list", commit]);
  const listed = await git.ask("reading a shallow history", { ...call, env: { ...call.env, ...PLAIN } });
  return linesOf(listed)
    .filter((line) => ends.has(line))
    .map((line) => `${line}\n`)
    .join("");
}

/** In a list of paths, a quoted one may hold the sign that ends a path. */
export function quotedPath(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
}
