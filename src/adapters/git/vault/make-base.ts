/** Makes a base beside its place. It gets its name when it is on the disk: it is there as a whole or not at all. */
import { link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import { syncFile, syncFolder, writeDurable } from "./durable.ts";
import { findAncestor, findFork, type ObjectSource, packReachable, readShallow } from "./pack-reachable.ts";

export interface BaseSite {
  readonly git: HostGit;
  readonly vault: string;
  /** Where bases lie. */
  readonly folder: string;
  /** A folder of its own on the same disk; the caller removes it. */
  readonly scratch: string;
  /** The bases with a whole history. */
  readonly whole: readonly string[];
  /** Makes another base first. */
  take(commit: string): Promise<unknown>;
}

/** A base of more packs than this is made anew: git looks into each for every object. */
const MOST_PACKS = 30;

export async function makeBase(site: BaseSite, commit: string, source: ObjectSource): Promise<void> {
  const { git, vault, folder, scratch } = site;
  const made = join(scratch, "base");
  const packs = join(made, "pack");
  const objects = join(scratch, "objects");
  for (const path of [packs, join(objects, "pack")]) await mkdir(path, { recursive: true, mode: 0o700 });
  const ancestor = await borrow(site, commit, source, packs);
  const names = await packReachable(git, source, { commit, ancestor, packs, scratch: objects });
  const ends = await readShallow(git, source, commit);
  if (ends !== "") await writeDurable(join(made, "shallow"), ends, 0o600);
  await Promise.all(
    names.flatMap((name) => [`${name}.pack`, `${name}.idx`]).map((file) => syncFile(join(packs, file))),
  );
  const shared = join(vault, "objects/pack");
  for (const name of names) await share(packs, shared, name);
  for (const path of [packs, made, shared]) await syncFolder(path);
  await rename(made, join(folder, commit)).catch((error: unknown) => {
    // Another process was quicker: its base holds the same objects.
    if (errnoOf(error) !== "ENOTEMPTY" && errnoOf(error) !== "EEXIST") throw error;
  });
  await syncFolder(folder);
}

/** Puts the packs of another base into `packs`. Resolves to its commit; null: there is none to build upon. */
async function borrow(site: BaseSite, commit: string, source: ObjectSource, packs: string): Promise<string | null> {
  const ancestor = source.shallow === null ? await groundFor(site, commit, source) : null;
  if (ancestor === null) return null;
  const from = join(site.folder, ancestor, "pack");
  const files = await readdir(from);
  if (files.length >= MOST_PACKS * 2) return null;
  for (const name of files) await link(join(from, name), join(packs, name));
  return ancestor;
}

/** The nearest base that the commit goes back to, or a new one where it parted from the others: that is not copied twice. */
async function groundFor(site: BaseSite, commit: string, source: ObjectSource): Promise<string | null> {
  if (site.whole.length === 0) return null;
  const ancestor = await findAncestor(site.git, source, commit, new Set(site.whole));
  if (ancestor !== null) return ancestor;
  const fork = await findFork(site.git, source, commit, site.whole);
  if (fork === null || fork === commit) return null;
  await site.take(fork);
  return fork;
}

/** Gives the vault a pack of a base. The index is what makes it visible: it comes last. One that is there is used. */
async function share(packs: string, shared: string, name: string): Promise<void> {
  await writeFile(join(shared, `${name}.keep`), "");
  for (const file of [`${name}.pack`, `${name}.idx`])
    await link(join(packs, file), join(shared, file)).catch(async (error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error;
      await rm(join(packs, file));
      await link(join(shared, file), join(packs, file));
    });
}
