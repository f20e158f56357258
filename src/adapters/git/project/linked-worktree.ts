/** Working trees that belong to the user's repository (`workspace: worktree`): for work that is trusted. */
import { lstat, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gitFailure, storeFailure } from "../failures.ts";
import { isOwnerGone, ownToken } from "../owner.ts";
import type { Slot, SlotState } from "../slot/slot.ts";
import type { Yard } from "../yard.ts";
import { callIn, type Project } from "./project.ts";

export type Link = NonNullable<SlotState["link"]>;

/** Registers the empty folder of a workspace as a working tree of the user's repository. */
export async function addLinked(yard: Yard, project: Project, slot: Slot, head: string): Promise<Link> {
  const { git } = yard;
  const inside = (args: readonly string[]) => callIn(project.root, project.flags, args);
  const add = [
    "worktree",
    "add",
    "--quiet",
    "--detach",
    "--no-checkout",
    "--force",
    "--lock",
    "--reason",
    ownToken(),
    slot.tree,
    head,
  ];
  await git.ask("adding a working tree", inside(add));
  const pointer = await readFile(join(slot.tree, ".git"), "utf8");
  const admin = /^gitdir: ([\s\S]*?)\n$/.exec(pointer)?.[1];
  if (admin === undefined || dirname(admin) !== join(project.commonDir, "worktrees"))
    throw gitFailure("adding a working tree", slot.tree, "fatal: its folder is not in the repository");
  return { admin, head };
}

/** Tells the repository where its working tree lies now; from then on whoever finds it gone may forget it. */
export async function pointLinked(link: Link, slot: Slot): Promise<void> {
  const wanted = `${slot.tree}/.git\n`;
  const file = join(link.admin, "gitdir");
  await writeFile(file, wanted).catch((error: unknown) => {
    throw storeFailure(error, file);
  });
  await rm(join(link.admin, "locked"), { force: true });
}

/** Removes what the repository remembers of working trees below `dir` that are gone. Those of others are left alone. */
export async function pruneLinked(project: Project, dir: string): Promise<void> {
  const folder = join(project.commonDir, "worktrees");
  for (const name of await readdir(folder).catch(() => [])) {
    const admin = join(folder, name);
    const place = (await readFile(join(admin, "gitdir"), "utf8").catch(() => "")).trimEnd();
    const builder = await readFile(join(admin, "locked"), "utf8").catch(() => null);
    if (builder !== null && !isOwnerGone(builder.trim())) continue;
    const isOurs = place.startsWith(`${dir}/`) && place.endsWith("/tree/.git");
    if (isOurs && (await lstat(place).catch(() => null)) === null) await rm(admin, { recursive: true, force: true });
  }
  // As git does: it stays while there is another one.
  await rmdir(folder).catch(() => undefined);
}
