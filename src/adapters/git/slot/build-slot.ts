/** Makes a workspace: built beside its place, so that it is there as a whole or not at all. */
import { lstat, mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { WorkspaceSpec } from "../../../blueprint/blueprint.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import type { Mount } from "../../../ports/sandbox.ts";
import type { Place } from "../../../ports/workspaces.ts";
import { BUILD } from "../cell/scripts.ts";
import { storeFailure } from "../failures.ts";
import { specFromTop } from "../project/below.ts";
import { addLinked, type Link, pointLinked } from "../project/linked-worktree.ts";
import { inspectProject } from "../project/project.ts";
import { formatOf } from "../vault/commit.ts";
import { type Footing, findFooting, recordFooting } from "../vault/footing.ts";
import { literal } from "../vault/ignore-rules.ts";
import { runSlotCell, type Yard } from "../yard.ts";
import { originMounts } from "./origin.ts";
import { writeLimits } from "./save-limits.ts";
import { type Slot, underWay, writeShadow, writeState } from "./slot.ts";

export interface Wanted {
  readonly commit: string;
  readonly spec: WorkspaceSpec;
  readonly footing: Footing;
}

/** Rejects with WORKSPACE_TREE_MISSING. `project`: where in the tree the project lies. */
export async function wantedFor(
  { vault }: Yard,
  { run, spec }: Omit<Place, "member">,
  commit: string,
  project: string,
): Promise<Wanted> {
  const footing = await vault.uses.during(() => findFooting(vault, run, commit));
  return { commit, spec: specFromTop(spec, project), footing };
}

/** Where a cell finds the user's folder of a linked working tree. */
const LINKED = "/run/pawl/linked";
const SHARE = "/run/pawl/share";

export function buildSlot(yard: Yard, slot: Slot, wanted: Wanted): Promise<void> {
  return yard.vault.uses.during(() => build(yard, slot, wanted));
}

async function build(yard: Yard, slot: Slot, wanted: Wanted): Promise<void> {
  const { commit, spec, footing } = wanted;
  const fresh = underWay(slot, "new");
  try {
    await mkdir(fresh.tree, { recursive: true, mode: 0o700 });
    await writeShadow(fresh, formatOf(commit));
    await writeLimits(fresh, spec);
    const [tree, filled, ...others] = await Promise.allSettled([
      yard.vault.treeOf(commit),
      originMounts(yard, slot).then((origin) => fillSlot(yard, fresh, wanted, origin)),
      writeRules(yard, fresh, footing.start, spec.share),
      recordFooting(yard.vault, slot.run, footing),
    ]);
    // In this order: without the tree the others fail too, and it is the reason.
    if (tree.status === "rejected") throw tree.reason;
    if (filled.status === "rejected") throw filled.reason;
    for (const other of others) if (other.status === "rejected") throw other.reason;
    const link = filled.value;
    await writeState(fresh, { commit, tree: tree.value, rest: null, link });
    await rename(fresh.folder, slot.folder);
    if (link !== null) await pointLinked(link, slot);
  } catch (error) {
    throw storeFailure(error, slot.folder);
  }
}

/** Files, ignored ones of `origin` too, and the private repository. */
export async function fillSlot(
  yard: Yard,
  slot: Slot,
  { commit, spec, footing }: Wanted,
  origin: readonly Mount[],
): Promise<Link | null> {
  // Folders that are shared with the project are ignored: the other workspace has them, as its stages left them.
  const shares = origin.length > 0 ? [] : await findShares(yard, spec.share);
  const isLinked = spec.kind === "worktree";
  const project = isLinked ? await inspectProject(yard.git, yard.root, yard.home) : null;
  const link = project === null ? null : await addLinked(yard, project, slot, footing.project);
  const env = { ...privateEnv(footing, link), TREE: commit, SHARES: shares.map(({ path }) => `${path}\n`).join("") };
  const mounts = [...privateMounts(footing, link), ...origin, ...shares.map(({ mount }) => mount)];
  await runSlotCell(yard, slot, { doing: "making a workspace", script: BUILD, env, mounts });
  return link;
}

/** What its private repository is made of: it is on the commit of the project, and what the run has changed is not committed. */
export function privateEnv({ project }: Footing, link: Link | null): Record<string, string> {
  return {
    LINK: link?.admin ?? "",
    HEAD_COMMIT: link?.head ?? project,
    PRIVATE_CONFIG: privateConfig(formatOf(project)),
  };
}

export function privateMounts({ shallow }: Footing, link: Link | null): Mount[] {
  return [
    ...(link === null ? [] : [{ from: link.admin, to: LINKED, access: "write" } as const]),
    ...(shallow === null ? [] : [{ from: shallow, to: "/run/pawl/shallow", access: "read" } as const]),
  ];
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

async function writeRules(yard: Yard, slot: Slot, start: string, shares: readonly string[]): Promise<void> {
  const rules = await yard.vault.rulesOf(start);
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
  const isOthers = from
    .slice(top.length + 1)
    .split(sep)
    .some((part) => part === ".git" || part === ".pawl");
  return isOthers ? "it belongs to git or to Pawl" : null;
}
