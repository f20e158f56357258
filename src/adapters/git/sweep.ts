/** Clears away what runs that have ended left behind, and says what it freed. */
import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { RunId } from "../../base/ids.ts";
import type { SweepReport, SweepRequest, UnknownRun } from "../../ports/trees.ts";
import type { HostGit } from "./host-git.ts";
import { isOwnerGone } from "./owner.ts";
import { pruneLinked } from "./project/linked-worktree.ts";
import { inspectProject } from "./project/project.ts";
import { recordDropped } from "./saved/dropped.ts";
import { nameAgain } from "./saved/nameless.ts";
import { clearLeft } from "./slot/checkout-slot.ts";
import { slotsOf } from "./slot/slot.ts";
import { VAULT_UNDER_WAY } from "./vault/create-vault.ts";
import { BASES, SNAPSHOTS, type Vault } from "./vault/vault.ts";
import type { Yard } from "./yard.ts";

/** What has become of the workspaces of a run. */
export interface Left {
  readonly removed: number;
  /** They stay, because what is in them could not be saved. */
  readonly unsaved: number;
}

interface Ground {
  readonly git: HostGit;
  readonly dir: string;
  readonly vaultDir: string;
  /** null: there is no vault, so nothing was ever saved. */
  readonly yard: Yard | null;
}

/** What a run started from: written when the run was, whatever its own age is. */
const ANCHORS: ReadonlySet<string> = new Set(["base", "start"]);
const BLOCK_BYTES = 512;
const RUN = /^r_[0-9a-z]{12}$/;

export async function sweepVault(
  ground: Ground,
  request: SweepRequest,
  leave: (run: RunId) => Promise<Left>,
): Promise<SweepReport> {
  const { yard, dir, vaultDir } = ground;
  if (yard === null || request.dryRun === true)
    return yard === null ? clearNothing(ground) : foretell(yard, dir, request);
  await clearVaultsUnderWay(vaultDir);
  const { vault } = yard;
  // Names must be whole before anything is removed: what has none goes.
  const found = await vault.uses.alone(() => nameAgain(vault));
  const { workspaces, stuck } = await leaveAll(await leftRuns(dir, request), leave);
  for (const run of await runsIn(dir)) if ((await request.known(run)) !== "unknown") await clearLeft(yard, run);
  const project = await inspectProject(yard.git, yard.root, yard.home).catch(() => null);
  if (project !== null) await pruneLinked(project, dir);
  return vault.uses.alone(async () => {
    const before = await count(vault);
    const refs = await dropRefs(vault, await fadedRefs(vault, request));
    await dropBases(vault);
    await clearTemporary(vault);
    await pack(vault);
    const unknown = await unknownRuns(vault, dir, request);
    return { ...reportOf(workspaces, refs, before, await count(vault)), stuck, found, unknown };
  });
}

/** `stuck`: runs of which something could not be saved, so that it stays. */
async function leaveAll(runs: Iterable<RunId>, leave: (run: RunId) => Promise<Left>) {
  let workspaces = 0;
  let stuck = 0;
  for (const run of runs) {
    const left = await leave(run).catch(() => null);
    if (left === null || left.unsaved > 0) stuck += 1;
    workspaces += left?.removed ?? 0;
  }
  return { workspaces, stuck };
}

/** What is kept because no journal mentions its run. */
async function unknownRuns(vault: Vault, dir: string, { known }: SweepRequest): Promise<readonly UnknownRun[]> {
  const refs = await readRefs(vault);
  const runs = new Set([...(await runsIn(dir)), ...(runsOf(refs) as Set<RunId>)]);
  const found: UnknownRun[] = [];
  for (const run of [...runs].sort()) {
    if ((await known(run)) !== "unknown") continue;
    const workspaces = (await slotsOf(dir, run)).length;
    found.push({ run, workspaces, refs: refs.filter((ref) => ref.run === run).length });
  }
  return found;
}

async function clearNothing({ vaultDir }: Ground): Promise<SweepReport> {
  await clearVaultsUnderWay(vaultDir);
  return reportOf(0, 0, { objects: 0, bytes: 0 }, { objects: 0, bytes: 0 });
}

/** What would be done; nothing is. */
async function foretell({ vault }: Yard, dir: string, request: SweepRequest): Promise<SweepReport> {
  let workspaces = 0;
  for (const run of await leftRuns(dir, request)) workspaces += (await slotsOf(dir, run)).length;
  const before = await count(vault);
  const report = reportOf(workspaces, (await fadedRefs(vault, request)).size, before, before);
  return { ...report, unknown: await unknownRuns(vault, dir, request) };
}

interface Held {
  readonly objects: number;
  readonly bytes: number;
}

function reportOf(workspaces: number, refs: number, before: Held, after: Held): SweepReport {
  return {
    workspaces,
    stuck: 0,
    refs,
    found: 0,
    unknown: [],
    objectsBefore: before.objects,
    objectsAfter: after.objects,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
  };
}

/** Runs that have a workspace and have ended. */
async function leftRuns(dir: string, { known }: SweepRequest): Promise<RunId[]> {
  const runs: RunId[] = [];
  for (const run of await runsIn(dir)) if ((await known(run)) === "ended") runs.push(run);
  return runs;
}

async function runsIn(dir: string): Promise<RunId[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => RUN.test(name)) as RunId[];
}

async function clearVaultsUnderWay(vaultDir: string): Promise<void> {
  const prefix = `${basename(vaultDir)}${VAULT_UNDER_WAY}`;
  for (const name of await readdir(dirname(vaultDir)).catch(() => [])) {
    const owner = name.startsWith(prefix) ? name.slice(prefix.length).split(".")[0] : undefined;
    if (owner !== undefined && isOwnerGone(owner))
      await rm(join(dirname(vaultDir), name), { recursive: true, force: true });
  }
}

interface Ref {
  readonly name: string;
  readonly commit: string;
  readonly run: string;
  readonly savedAt: number;
  /** Its first. */
  readonly parent: string;
}

/** What a run started from goes with the last of its trees, and with the last run that started from it. */
async function fadedRefs(vault: Vault, request: SweepRequest): Promise<Set<string>> {
  const all = await readRefs(vault);
  const gone = new Set<string>();
  const needed = new Set<string>();
  for (const run of runsOf(all)) {
    const { faded, base } = await fadedOf(vault, run, all, request);
    for (const name of faded) gone.add(name);
    if (base !== null) needed.add(base);
  }
  const snapshots = all.filter(({ name }) => dirname(name) === SNAPSHOTS);
  const bases = all.filter(({ name }) => dirname(name) === BASES);
  const stay = await staying(vault, snapshots, needed, request.before);
  // Each needs the commit that it was made on.
  for (const { parent } of stay) needed.add(parent);
  stay.push(...(await staying(vault, bases, needed, request.before)));
  for (const ref of [...snapshots, ...bases]) if (!stay.includes(ref)) gone.add(ref.name);
  return gone;
}

/** Those that a run needs, and young ones, which a run may be about to need. */
async function staying(
  vault: Vault,
  starts: readonly Ref[],
  needed: ReadonlySet<string>,
  before: number,
): Promise<Ref[]> {
  const stay: Ref[] = [];
  for (const ref of starts)
    if (needed.has(basename(ref.name)) || !(await isOlder(vault, ref.name, before))) stay.push(ref);
  return stay;
}

function runsOf(refs: readonly Ref[]): Set<string> {
  return new Set(refs.map(({ run }) => run).filter((run) => RUN.test(run)));
}

/** The names of one run that go, and the commit it started from when that stays. */
async function fadedOf(
  vault: Vault,
  run: string,
  all: readonly Ref[],
  { known, before }: SweepRequest,
): Promise<{ faded: readonly string[]; base: string | null }> {
  const refs = all.filter((ref) => ref.run === run);
  const anchors = refs.filter(({ name }) => ANCHORS.has(basename(name)) && dirname(name) === `refs/pawl/${run}`);
  const trees = refs.filter((ref) => !anchors.includes(ref));
  const hasEnded = (await known(run as RunId)) === "ended";
  const old = hasEnded ? trees.filter(({ savedAt }) => savedAt < before) : [];
  const faded = old.map(({ name }) => name);
  let goes = hasEnded && old.length === trees.length;
  for (const { name } of anchors) goes &&= await isOlder(vault, name, before);
  if (goes) return { faded: [...faded, ...anchors.map(({ name }) => name)], base: null };
  return { faded, base: await vault.refs.read(`refs/pawl/${run}/base`) };
}

/** When the name itself was written: what it names may be much older. */
async function isOlder(vault: Vault, name: string, before: number): Promise<boolean> {
  return (await lstat(join(vault.dir, name))).mtimeMs < before;
}

async function dropRefs(vault: Vault, gone: ReadonlySet<string>): Promise<number> {
  const refs = await readRefs(vault);
  const runs = runsOf(refs);
  await recordDropped(
    vault.dir,
    refs.flatMap(({ name, commit }) => (gone.has(name) ? [commit] : [])),
  );
  for (const name of gone) await rm(join(vault.dir, name), { force: true });
  for (const run of runs) await removeEmpty(join(vault.dir, "refs/pawl", run));
  return gone.size;
}

/** What its names held goes with the next sweep. */
export async function dropRun(vault: Vault, run: RunId): Promise<void> {
  await vault.uses.during(async () => {
    const names = (await readRefs(vault)).filter((ref) => ref.run === run).map(({ name }) => name);
    await dropRefs(vault, new Set(names));
  });
}

async function readRefs(vault: Vault): Promise<Ref[]> {
  const format = "--format=%(refname) %(objectname) %(committerdate:unix) %(parent)";
  const lines = (await vault.git("listing what is saved", ["for-each-ref", format, "refs/pawl"]))
    .toString()
    .split("\n");
  return lines.flatMap((line) => {
    const [name = "", commit = "", seconds = "", parent = ""] = line.split(" ");
    const run = name.split("/")[2];
    return run === undefined ? [] : [{ name, commit, run, savedAt: Number(seconds) * 1000, parent }];
  });
}

/** A base goes with its name. */
async function dropBases(vault: Vault): Promise<void> {
  const named = (await readRefs(vault)).filter(({ name }) => dirname(name) === BASES);
  await vault.bases.retain(new Set(named.map(({ name }) => basename(name))));
}

async function removeEmpty(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await rmdir(join(folder, name)).catch(() => undefined);
  await rmdir(folder).catch(() => undefined);
}

/** What nothing refers to is removed; nobody else uses the vault meanwhile. */
async function pack(vault: Vault): Promise<void> {
  const folder = join(vault.objects, "pack");
  for (const name of await readdir(folder)) if (name.startsWith("tmp_")) await rm(join(folder, name), { force: true });
  await vault.git("packing the vault", ["repack", "-a", "-d", "-l", "-q"]);
  await vault.git("removing what nothing refers to", ["prune", "--expire=now"]);
}

/** What processes that are gone left half done, and what can be made again. */
async function clearTemporary(vault: Vault): Promise<void> {
  for (const folder of ["temp", "rules"].map((name) => join(vault.dir, "pawl", name)))
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

async function count(vault: Vault): Promise<Held> {
  const text = (await vault.git("counting objects", ["count-objects", "-v"])).toString();
  const fact = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  const sizes = new Map<number, number>();
  for (const folder of [vault.objects, join(vault.dir, "pawl")]) await weigh(folder, sizes);
  return {
    objects: fact("count") + fact("in-pack"),
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** What each file below a folder takes of the disk. A file with many names takes it once. */
async function weigh(folder: string, sizes: Map<number, number>): Promise<void> {
  // Others come and go meanwhile.
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await lstat(join(folder, name)).catch(() => null);
    if (found?.isDirectory() === true) await weigh(join(folder, name), sizes);
    else if (found !== null) sizes.set(found.ino, found.blocks * BLOCK_BYTES);
  }
}
