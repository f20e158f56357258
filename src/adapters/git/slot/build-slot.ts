/** Makes a workspace: built beside its place, so that it is there as a whole or not at all. */
import { lstat, mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { WorkspaceSpec } from "../../../blueprint/blueprint.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import type { Mount } from "../../../ports/sandbox.ts";
import { BUILD } from "../cell/scripts.ts";
import { storeFailure } from "../failures.ts";
import { addLinked, type Link, pointLinked } from "../project/linked-worktree.ts";
import { inspectProject } from "../project/project.ts";
import { formatOf } from "../vault/commit.ts";
import { literal } from "../vault/ignore-rules.ts";
import { runSlotCell, type Yard } from "../yard.ts";
import { type Slot, underWay, writeShadow, writeState } from "./slot.ts";

export interface Wanted {
  readonly commit: string;
  readonly spec: WorkspaceSpec;
}

/** Where a cell finds the user's folder of a linked working tree. */
const LINKED = "/run/pawl/linked";
const SHARE = "/run/pawl/share";

export function buildSlot(yard: Yard, slot: Slot, wanted: Wanted): Promise<void> {
  return yard.vault.uses.during(() => build(yard, slot, wanted));
}

async function build(yard: Yard, slot: Slot, { commit, spec }: Wanted): Promise<void> {
  const fresh = underWay(slot, "new");
  try {
    await mkdir(fresh.tree, { recursive: true, mode: 0o700 });
    await writeShadow(fresh, formatOf(commit));
    const base = baseOf(yard, slot, commit);
    const [tree, filled, ruled] = await Promise.allSettled([
      yard.vault.treeOf(commit),
      fill(yard, fresh, { commit, spec }, base),
      base.then((id) => writeRules(yard, fresh, id, spec.share)),
    ]);
    // In this order: without the tree the others fail too, and it is the reason.
    if (tree.status === "rejected") throw tree.reason;
    if (filled.status === "rejected") throw filled.reason;
    if (ruled.status === "rejected") throw ruled.reason;
    const link = filled.value;
    await writeState(fresh, { commit, tree: tree.value, rest: null, link });
    await rename(fresh.folder, slot.folder);
    if (link !== null) await pointLinked(link, slot);
  } catch (error) {
    throw storeFailure(error, slot.folder);
  }
}

/** Files, shared folders and the private repository. */
async function fill(yard: Yard, slot: Slot, { commit, spec }: Wanted, base: Promise<string>): Promise<Link | null> {
  const [shares, hasShallow] = await Promise.all([findShares(yard, spec.share), isShallow(yard)]);
  const isLinked = spec.kind === "worktree";
  const project = isLinked ? await inspectProject(yard.git, yard.root, yard.home) : null;
  const link = project === null ? null : await addLinked(yard, project, slot, await base);
  const env = { ...privateEnv(commit, link), TREE: commit, SHARES: shares.map(({ path }) => `${path}\n`).join("") };
  const mounts = [...privateMounts(yard, link, hasShallow), ...shares.map(({ mount }) => mount)];
  await runSlotCell(yard, slot, { doing: "making a workspace", script: BUILD, env, mounts });
  return link;
}

/** What its private repository is made of. */
export function privateEnv(commit: string, link: Link | null): Record<string, string> {
  return {
    LINK: link?.admin ?? "",
    HEAD_COMMIT: link?.head ?? commit,
    PRIVATE_CONFIG: privateConfig(formatOf(commit)),
  };
}

export function privateMounts(yard: Yard, link: Link | null, isShallowVault: boolean): Mount[] {
  return [
    ...(link === null ? [] : [{ from: link.admin, to: LINKED, access: "write" } as const]),
    ...(isShallowVault
      ? [{ from: join(yard.vault.dir, "shallow"), to: "/run/pawl/shallow", access: "read" } as const]
      : []),
  ];
}

export async function isShallow(yard: Yard): Promise<boolean> {
  return (await lstat(join(yard.vault.dir, "shallow")).catch(() => null)) !== null;
}

function privateConfig(format: string): string {
  return [
    "[core]",
    `\trepositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "\tbare = false",
    "\tfilemode = true",
    "\tlogallrefupdates = true",
    "[user]",
    "\tname = Pawl",
    "\temail = pawl@localhost",
    "[gc]",
    "\tauto = 0",
    "[maintenance]",
    "\tauto = false",
    ...(format === "sha1" ? [] : ["[extensions]", `\tobjectformat = ${format}`]),
    "",
  ].join("\n");
}

/** The commit whose ignore rules hold for a run: what it, or the run it came from, started from. */
async function baseOf(yard: Yard, slot: Slot, commit: string): Promise<string> {
  const { vault } = yard;
  const name = `refs/pawl/${slot.run}/base`;
  const known = await vault.refs.read(name);
  if (known !== null) return known;
  const found = await vault.git("finding where a tree came from", [
    "for-each-ref",
    `--points-at=${commit}`,
    "--format=%(refname)",
    "refs/pawl",
  ]);
  const [, origin] = /^refs\/pawl\/([^/]+)\/saved\//m.exec(found.toString()) ?? [];
  const base = (origin === undefined ? null : await vault.refs.read(`refs/pawl/${origin}/base`)) ?? commit;
  await (await vault.refs.prepare(base)).put(name);
  return base;
}

async function writeRules(yard: Yard, slot: Slot, base: string, shares: readonly string[]): Promise<void> {
  const rules = await yard.vault.rulesOf(base);
  const ours = ["/.pawl", ...shares.map((path) => `/${literal(path.replace(/\/+$/, ""))}`), ""].join("\n");
  await writeFile(join(slot.shadow, "info/exclude"), Buffer.concat([rules, Buffer.from(ours)]));
}

/** Folders of the project to copy into the workspace; one that does not exist is left out. */
async function findShares(yard: Yard, paths: readonly string[]): Promise<{ path: string; mount: Mount }[]> {
  const top = await realpath(yard.root);
  const found: { path: string; mount: Mount }[] = [];
  for (const path of paths) {
    const from = await realpath(join(top, path)).catch(() => null);
    if (from === null) continue;
    const problem = problemOf(top, path, from) ?? ((await lstat(from)).isDirectory() ? null : "it is not a folder");
    if (problem !== null) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_SHARE_UNFIT", { path, problem });
    found.push({ path, mount: { from, to: `${SHARE}/${found.length}`, access: "read" } });
  }
  return found;
}

function problemOf(top: string, path: string, from: string): string | null {
  if (!from.startsWith(`${top}${sep}`)) return "it leads out of the project";
  if (/[\n\r\0]/.test(path)) return "its name holds a line end";
  const first = from.slice(top.length + 1).split(sep)[0];
  return first === ".git" || first === ".pawl" ? "it belongs to git or to Pawl" : null;
}
