/** Makes a workspace hold exactly one tree: left alone when it does, restored in place, or built anew when that fails. */
import { lstat } from "node:fs/promises";
import { isPawlError } from "../../../base/errors.ts";
import type { SaveLabel } from "../../../ports/workspaces.ts";
import { RESTORE } from "../cell/scripts.ts";
import { pointLinked } from "../project/linked-worktree.ts";
import { runSlotCell, type Yard } from "../yard.ts";
import { buildSlot, privateEnv, privateMounts, type Wanted } from "./build-slot.ts";
import { removeSlot } from "./remove-slot.ts";
import { writeLimits } from "./save-limits.ts";
import { archiveSlot, salvagePrivate, secureSlot } from "./save-slot.ts";
import { bootId, coreName, isDisposable, readState, type Slot, type SlotState, slotsOf, writeState } from "./slot.ts";
import { isTooLarge, setAside } from "./unsaved.ts";

type WantedTree = Wanted & { readonly tree: string };

/** What was unsaved is saved at most so often before the workspace is built anew. */
const MOST_TRIES = 3;

/** Resolves when the workspace holds the tree and counts as in use. */
export async function enterSlot(yard: Yard, slot: Slot, wanted: Wanted, label: SaveLabel): Promise<void> {
  const { commit } = wanted;
  const state = await readState(slot);
  await writeLimits(slot, wanted.spec);
  if (state !== null && (await isAt(slot, state, commit))) {
    await writeState(slot, { ...state, rest: null });
    return;
  }
  if (await isThere(slot)) {
    const tree = await yard.vault.treeOf(commit);
    const restored = await restore(yard, slot, { ...wanted, tree }, label).catch(async (error: unknown) => {
      if (!isTooLarge(error)) throw error;
      // Nobody can save it as it is, and nobody may delete it: the attempt gets a new one.
      await setAside(slot);
      return null;
    });
    if (restored !== null) {
      await writeState(slot, restored);
      return;
    }
    await removeSlot(yard, slot, label);
  }
  await clearHalves(yard, slot, label);
  try {
    await buildSlot(yard, slot, wanted);
  } catch (error) {
    await clearHalves(yard, slot, label).catch(() => undefined);
    throw error;
  }
}

/** What a host that was killed while it built, or a build that failed, left behind. */
async function clearHalves(yard: Yard, slot: Slot, label: SaveLabel): Promise<void> {
  for (const other of await slotsOf(yard.dir, slot.run))
    if (isDisposable(other) && coreName(other) === slot.name) await removeSlot(yard, other, label);
}

async function isThere(slot: Slot): Promise<boolean> {
  return (await lstat(slot.folder).catch(() => null)) !== null;
}

async function isAt(slot: Slot, state: SlotState, commit: string): Promise<boolean> {
  const { rest } = state;
  return (
    state.commit === commit && rest !== null && !rest.kept && rest.boot === (await bootId()) && isSound(slot, state)
  );
}

/** Looked at without following a link: whether the private repository is of the kind it was made. */
async function isSound(slot: Slot, state: SlotState): Promise<boolean> {
  const found = await lstat(`${slot.tree}/.git`).catch(() => null);
  if (found === null) return false;
  return state.link === null ? found.isDirectory() : found.isFile();
}

function canRestore(state: SlotState, { spec }: Wanted): boolean {
  return state.rest?.kept !== true && (state.link !== null) === (spec.kind === "worktree");
}

/** null: it must be built anew; everything in it is in the vault. */
async function restore(yard: Yard, slot: Slot, wanted: WantedTree, label: SaveLabel): Promise<SlotState | null> {
  let force = "";
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const state = await secureSlot(yard, slot, label, "left");
    if (state === null || !canRestore(state, wanted)) return null;
    const answer = await bringBack(yard, slot, state, wanted, force);
    if (answer === "restored") return { ...state, commit: wanted.commit, tree: wanted.tree, rest: null };
    if (answer === "stray") {
      await archiveSlot(yard, slot, state, label);
      return null;
    }
    await salvagePrivate(yard, slot, label);
    force = "yes";
  }
  return null;
}

async function bringBack(yard: Yard, slot: Slot, state: SlotState, wanted: WantedTree, force: string): Promise<string> {
  if (state.link !== null) await pointLinked(state.link, slot);
  if (state.tree === wanted.tree && (await isSound(slot, state))) return "restored";
  return putBack(yard, slot, state, wanted, force);
}

/** `stray`: it holds what no tree can hold, or could not be restored. */
async function putBack(yard: Yard, slot: Slot, state: SlotState, wanted: WantedTree, force: string): Promise<string> {
  const env = { ...privateEnv(wanted.footing, state.link), LAST: state.tree, TREE: wanted.tree, FORCE: force };
  const mounts = privateMounts(wanted.footing, state.link);
  // Whatever becomes of it, it is no longer known to hold what it held.
  await writeState(slot, { ...state, rest: null });
  try {
    const { word } = await runSlotCell(yard, slot, { doing: "restoring a workspace", script: RESTORE, env, mounts });
    if (word === "objects") await writeState(slot, state);
    return word;
  } catch (error) {
    if (isPawlError(error) && error.code === "WORKSPACE_GIT_FAILED") return "stray";
    throw error;
  }
}
