/** Takes workspaces away. Every byte is in the vault before the first is removed, and the removal sees nothing but its folder. */
import { lstat, rename, rmdir } from "node:fs/promises";
import { BEHIND } from "../../../ports/sandbox.ts";
import type { SaveLabel } from "../../../ports/workspaces.ts";
import { runCell } from "../cell/cell.ts";
import { REMOVE } from "../cell/scripts.ts";
import { errnoOf, storeFailure } from "../failures.ts";
import { pruneLinked } from "../project/linked-worktree.ts";
import { inspectProject } from "../project/project.ts";
import { keyOf, type Yard } from "../yard.ts";
import { archiveSlot, salvagePrivate, secureSlot } from "./save-slot.ts";
import { isDisposable, readState, type Slot, type SlotState, underWay } from "./slot.ts";

/** Removes a workspace; one that is not there, or that another process removes, is left to it. */
export async function removeSlot(yard: Yard, slot: Slot, label: SaveLabel): Promise<void> {
  await yard.waiting.discard(slot.folder);
  const taken = await claim(slot);
  if (taken === null) return;
  const state = await readState(taken);
  const hasWork = !isDisposable(taken) && (await exists(taken.tree));
  if (hasWork) await emptyCarefully(yard, taken, await secured(yard, slot, taken, label), label);
  else await empty(yard, taken, ["objects", "stray"]);
  await rmdir(taken.folder).catch((error: unknown) => {
    throw storeFailure(error, taken.folder);
  });
  if (state?.link != null) await pruneLinked(await inspectProject(yard.git, yard.root, yard.home), yard.dir);
}

/** Removes what nothing is to be saved of. */
export async function discardSlot(yard: Yard, slot: Slot): Promise<void> {
  await removeSlot(yard, slot, { stage: "", attempt: 0, at: 0 });
}

/** From here on no other process takes it while this one lives. */
async function claim(slot: Slot): Promise<Slot | null> {
  const taken = underWay(slot, isDisposable(slot) ? "half" : "old");
  try {
    await rename(slot.folder, taken.folder);
    return taken;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw storeFailure(error, slot.folder);
  }
}

/** What could not be saved goes back to its place: nothing of it was removed. */
async function secured(yard: Yard, slot: Slot, taken: Slot, label: SaveLabel): Promise<SlotState | null> {
  try {
    return await secureSlot(yard, taken, label, "left");
  } catch (error) {
    await rename(taken.folder, slot.folder).catch(() => undefined);
    throw error;
  }
}

/** Whatever is found that is not in the vault is put there, then it is tried again. */
async function emptyCarefully(yard: Yard, slot: Slot, state: SlotState | null, label: SaveLabel): Promise<void> {
  const known = state === null || state.rest?.kept === true ? ["stray"] : [];
  for (;;) {
    const found = await empty(yard, slot, known);
    if (found === "objects") await salvagePrivate(yard, slot, label);
    else if (found === "stray") await archiveSlot(yard, slot, state, label);
    else return;
    known.push(found);
  }
}

async function empty(yard: Yard, slot: Slot, known: readonly string[]): Promise<string> {
  const request = {
    key: keyOf(slot),
    doing: "removing a workspace",
    script: REMOVE,
    env: { KNOWN: known.join(" "), GIT_DIR: "/nonexistent" },
    mounts: [{ from: slot.folder, to: BEHIND.workspace, access: "write" } as const],
  };
  return (await runCell(yard.sandbox, request, yard.signal)).word;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
