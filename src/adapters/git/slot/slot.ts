/**
 * The folder of one workspace. Only the host sees it whole; a stage sees `tree`, a cell what it needs.
 *
 *   <dir>/<run>/<name>/tree         the files, and the private repository
 *   <dir>/<run>/<name>/shadow.git   our own index of them
 *   <dir>/<run>/<name>/state.json   what the host knows of them
 *   <dir>/<run>/<name>/unsaved.json   why they could not be saved, as long as they are not
 *   <dir>/<run>/.<what>-<name>.<owner>.<random>   one that is being made, or taken away, or a checkout
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import type { RunId } from "../../../base/ids.ts";
import { sharedAttempt } from "../../../base/shared-attempt.ts";
import { isOwnerGone, ownToken } from "../owner.ts";
import { isObjectId } from "../vault/commit.ts";
import { randomName } from "../vault/durable.ts";

export interface Slot {
  readonly run: RunId;
  readonly name: string;
  readonly folder: string;
  readonly tree: string;
  readonly shadow: string;
}

export interface SlotState {
  /** What it held when it was last looked at, and is in the vault. */
  readonly commit: string;
  readonly tree: string;
  /**
   * Nobody has had it since, in this boot of the machine: it holds exactly that. `kept`: it also holds what no tree can
   * hold, and that is archived.
   */
  readonly rest: { readonly boot: string; readonly kept: boolean } | null;
  /** Of a linked working tree: its folder in the user's repository, and the commit it is on. */
  readonly link: { readonly admin: string; readonly head: string } | null;
}

const RUN = /^[A-Za-z0-9_-]{1,64}$/;

export function slotOf(dir: string, run: RunId, member: string | null): Slot {
  return slotAt(dir, run, member === null ? "run" : `member-${sha256(member).slice(0, 20)}`);
}

/** `name` of the folder below that of the run. */
function slotAt(dir: string, run: RunId, name: string): Slot {
  if (!RUN.test(run)) throw new Error(`${run} is not the id of a run`);
  const folder = join(dir, run, name);
  return { run, name, folder, tree: join(folder, "tree"), shadow: join(folder, "shadow.git") };
}

/** null: there is none, or it was cut off while it was written. */
export async function readState(slot: Slot): Promise<SlotState | null> {
  try {
    const state = JSON.parse(await readFile(join(slot.folder, "state.json"), "utf8")) as SlotState;
    return isObjectId(state.commit) && isObjectId(state.tree) ? state : null;
  } catch {
    return null;
  }
}

export async function writeState(slot: Slot, state: SlotState): Promise<void> {
  const file = join(slot.folder, `.state-${randomName()}`);
  await writeFile(file, JSON.stringify(state), { mode: 0o600, flag: "wx" });
  await rename(file, join(slot.folder, "state.json"));
}

/** Another one after each start of the machine: what was not synced may be gone then. */
export const bootId = sharedAttempt(async () =>
  (await readFile("/proc/sys/kernel/random/boot_id", "latin1")).trim(),
).get;

/** `half`: nothing in it is worth saving. `fresh`: a checkout, in which nothing ever is; so it has no other name. */
export type UnderWay = "new" | "old" | "half" | "fresh";

const DISPOSABLE = /^\.(new|half|fresh)-/;

/** A name for a folder that is under way; no other process takes it while this one lives. */
export function underWay(slot: Slot, what: UnderWay): Slot {
  return slotIn(slot, `.${what}-${coreName(slot)}.${ownToken()}.${randomName()}`);
}

/** The name of its place, also while it is under way. */
export function coreName({ name }: Slot): string {
  return /^\.\w+-([^.]*)\./.exec(name)?.[1] ?? name;
}

/** It was never finished, so no stage has seen it, or it is a checkout: it is thrown away as it is. */
export function isDisposable({ name }: Slot): boolean {
  return DISPOSABLE.test(name);
}

/** A place for one more checkout. Whoever finds it knows whose it is, before there is anything in it. */
export function newCheckout(dir: string, run: RunId): Slot {
  return underWay(slotAt(dir, run, "checkout"), "fresh");
}

/** What hosts that are gone left in a run, and nobody will ask for. */
export async function leftBehind(dir: string, run: RunId): Promise<Slot[]> {
  const slots = await slotsOf(dir, run);
  return slots.filter((slot) => isDisposable(slot) && ownerOf(slot.name) !== ownToken());
}

function slotIn(beside: Slot, name: string): Slot {
  const folder = join(beside.folder, "..", name);
  return { run: beside.run, name, folder, tree: join(folder, "tree"), shadow: join(folder, "shadow.git") };
}

function ownerOf(name: string): string {
  return name.split(".").at(-2) ?? "";
}

/** The folders of a run, those under way only when their owner is gone or is this process. */
export async function slotsOf(dir: string, run: RunId): Promise<Slot[]> {
  const names = await readdir(join(dir, run)).catch(() => []);
  const isFree = (name: string): boolean => {
    if (!name.startsWith(".")) return true;
    const owner = ownerOf(name);
    return owner === ownToken() || isOwnerGone(owner);
  };
  return names.filter(isFree).map((name) => slotAt(dir, run, name));
}

/** Files of a git folder that no stage sees; git in a cell reads its configuration from here alone. */
export async function writeShadow(slot: Slot, format: "sha1" | "sha256"): Promise<void> {
  const { shadow } = slot;
  for (const folder of ["info", "new", "objects", "refs"])
    await mkdir(join(shadow, folder), { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(join(shadow, "HEAD"), "ref: refs/heads/none\n"),
    writeFile(join(shadow, "config"), shadowConfig(format)),
    writeFile(join(shadow, "info/attributes"), ATTRIBUTES),
    writeFile(join(shadow, "info/exclude"), ""),
  ]);
}

/** The shadow was damaged: a new one takes its place. The old one is not looked into. */
export async function renewShadow(slot: Slot, format: "sha1" | "sha256"): Promise<void> {
  await rename(slot.shadow, join(slot.folder, `damaged-${randomName()}`)).catch(() => undefined);
  await rm(slot.shadow, { force: true });
  await writeShadow(slot, format);
}

/** Every byte as it is, whatever the attribute files in the tree say. */
const ATTRIBUTES = "* -text -ident -filter !eol !working-tree-encoding !crlf !diff !merge\n";

function shadowConfig(format: string): string {
  return [
    "[core]",
    `\trepositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "\tbare = false",
    "\tfilemode = true",
    "\tsymlinks = true",
    "\tautocrlf = false",
    "\tsafecrlf = false",
    "\ttrustctime = true",
    "\tcheckStat = default",
    "\tprotectHFS = true",
    "\tprotectNTFS = true",
    "\tfsync = none",
    "\tfsmonitor = false",
    "\tuntrackedCache = false",
    "\thooksPath = /dev/null",
    "\tlooseCompression = 1",
    "\tlogallrefupdates = false",
    "[pack]",
    "\tcompression = 1",
    "\tthreads = 1",
    "\twriteReverseIndex = false",
    "[index]",
    "\tversion = 4",
    "[checkout]",
    "\tworkers = 0",
    "[gc]",
    "\tauto = 0",
    "[submodule]",
    "\trecurse = false",
    ...(format === "sha1" ? [] : ["[extensions]", `\tobjectformat = ${format}`]),
    "",
  ].join("\n");
}
