/**
 * What a process writes and its author wants to keep: found by globs, without following a link, and bounded in every way, for names
 * and number of the files are as the process likes.
 */
import type { BigIntStats } from "node:fs";
import { lstat, mkdir, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { alternatives, compileSome, pathParts } from "../../../base/match/glob.ts";
import type { Artifacts } from "../../../ports/artifacts.ts";
import type { ArtifactRef } from "../../../run/events.ts";
import { storeFile } from "./store-file.ts";

export interface Kept {
  readonly artifacts: Readonly<Record<string, ArtifactRef>>;
  /** At least so many were left out. */
  readonly unkept: number;
}

export interface Keeping {
  /** Stores what was written since the beginning; the process is gone by now. */
  end(store: { readonly artifacts: Artifacts; readonly redact: (text: string) => string }): Promise<Kept>;
}

export const MOST_KEPT = { files: 100, bytes: 64 << 20 } as const;
/** Entries of folders that are looked at, folders below one another, characters of a path. */
const MOST_LOOKED = 10_000;
const DEEPEST = 32;
const LONGEST = 500;
const MOST_ALTERNATIVES = 256;
const WILD = /[*?]/;

interface Found {
  /** Path from the top → what is there; folders are not. */
  readonly files: ReadonlyMap<string, BigIntStats | null>;
  /** Not everything was looked at. */
  readonly isCut: boolean;
}

/** `folder`: the workspace; null: it is the project, where only the process itself makes folders. */
export async function beginKeeping(folder: string | null, project: string, globs: readonly string[]): Promise<Keeping> {
  if (globs.length === 0) return { end: async () => ({ artifacts: {}, unkept: 0 }) };
  const root = await realpath(folder ?? project);
  const starts = startsOf(globs);
  for (const start of folder === null ? [] : starts) await makeFolders(root, start);
  const before = await look(root, globs, starts);
  return {
    async end(store) {
      const after = await look(root, globs, starts);
      const written = [...after.files].filter(([path, found]) => !isSame(found, before.files.get(path)));
      const sorted = written.sort(([a], [b]) => (a < b ? -1 : 1));
      const { artifacts, unkept } = await storeAll(store, root, sorted);
      return { artifacts, unkept: unkept + (after.isCut ? 1 : 0) };
    },
  };
}

async function storeAll(
  { artifacts, redact }: Parameters<Keeping["end"]>[0],
  root: string,
  written: readonly (readonly [path: string, found: BigIntStats | null])[],
): Promise<Kept> {
  const kept = new Map<string, ArtifactRef>();
  let left = MOST_KEPT.bytes;
  for (const [path, found] of written) {
    const name = `./${redact(path)}`;
    const isFit = path.length <= LONGEST && kept.size < MOST_KEPT.files && !kept.has(name);
    if (!isFit || found === null || found.size > left) continue;
    const stored = await storeFile(artifacts, root, path);
    if (typeof stored === "string") continue;
    kept.set(name, stored);
    left -= stored.bytes;
  }
  return { artifacts: Object.fromEntries(kept), unkept: written.length - kept.size };
}

/** The folders that the globs begin with, name by name. */
function startsOf(globs: readonly string[]): readonly (readonly string[])[] {
  return globs
    .flatMap((glob) => alternatives(glob, MOST_ALTERNATIVES) ?? [])
    .map((glob) => {
      const { names } = pathParts(glob);
      const wild = names.findIndex((name) => WILD.test(name));
      return names.slice(0, wild < 0 ? -1 : wild);
    });
}

/** A name that is something else than a folder stays what it is: what is a link leads nowhere. */
async function makeFolders(root: string, names: readonly string[]): Promise<void> {
  let at = root;
  for (const name of names) {
    at = join(at, name);
    await mkdir(at).catch(() => undefined);
    if ((await lstat(at).catch(() => null))?.isDirectory() !== true) return;
  }
}

async function look(root: string, globs: readonly string[], starts: readonly (readonly string[])[]): Promise<Found> {
  const covers = compileSome(globs);
  const files = new Map<string, BigIntStats | null>();
  let looked = 0;
  for await (const names of walk(root, starts)) {
    looked += 1;
    if (looked > MOST_LOOKED) return { files, isCut: true };
    if (names !== null && covers({ from: "root", names }))
      files.set(names.join("/"), await statOf(join(root, ...names)));
  }
  return { files, isCut: false };
}

/** Everything below the root where a glob may lead, the nearest first; null: a folder. */
async function* walk(root: string, starts: readonly (readonly string[])[]): AsyncGenerator<readonly string[] | null> {
  const folders: string[][] = [[]];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for await (const entry of (await opendir(join(root, ...folder), { bufferSize: 1024 }).catch(() => null)) ?? []) {
      const names = [...folder, entry.name];
      if (entry.isDirectory() && names.length < DEEPEST && mayLead(names, starts)) folders.push(names);
      yield entry.isDirectory() ? null : names;
    }
  }
}

/** Git data is no work of a process. */
function mayLead(names: readonly string[], starts: readonly (readonly string[])[]): boolean {
  if (names.at(-1)?.toLowerCase() === ".git") return false;
  return starts.some((start) => start.every((name, at) => at >= names.length || name === names[at]));
}

/** null: it is gone, or its name is no text. */
async function statOf(path: string): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch(() => null);
}

/** A process can set the time of a change, but not when it was set. */
function isSame(now: BigIntStats | null, before: BigIntStats | null | undefined): boolean {
  if (now === null || before === null || before === undefined) return now === before;
  return now.ino === before.ino && now.size === before.size && now.ctimeNs === before.ctimeNs;
}
