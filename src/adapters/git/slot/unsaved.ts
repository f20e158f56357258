/**
 * A workspace that could not be saved says so, beside its files, until it is. Nothing removes one that was too large but a person.
 *
 *   <dir>/<run>/<name>/unsaved.json
 *   <dir>/<run>/unsaved-<name>-<random>   one that was too large, when its place was needed
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPawlError } from "../../../base/errors.ts";
import type { SaveLabel, UnsavedWorkspace } from "../../../ports/workspaces.ts";
import { isInterrupted } from "../interrupt.ts";
import { stageOf } from "../saved/archives.ts";
import { randomName } from "../vault/durable.ts";
import type { Slot } from "./slot.ts";

export type UnsavedMark = Omit<UnsavedWorkspace, "folder">;

export function isTooLarge(error: unknown): boolean {
  return isPawlError(error) && error.code === "WORKSPACE_TOO_LARGE";
}

/** Marks the workspace when it could not be saved in time, or is too large. */
export async function markingUnsaved<T>(slot: Slot, label: SaveLabel, save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    const why = isTooLarge(error) ? "too_large" : isInterrupted(error) ? "cut_off" : null;
    if (why !== null) {
      const mark: UnsavedMark = { why, stage: stageOf(label), at: label.at };
      await writeFile(markOf(slot.folder), JSON.stringify(mark), { mode: 0o600 }).catch(() => undefined);
    }
    throw error;
  }
}

/** null: it was saved, or nobody has tried yet. */
export async function readUnsaved({ folder }: Slot): Promise<UnsavedMark | null> {
  try {
    return JSON.parse(await readFile(markOf(folder), "utf8")) as UnsavedMark;
  } catch {
    return null;
  }
}

export async function clearUnsaved({ folder }: Slot): Promise<void> {
  await rm(markOf(folder), { force: true });
}

/** Makes room for another workspace at its place. */
export async function setAside({ folder, name }: Slot): Promise<void> {
  await rename(folder, join(folder, "..", `unsaved-${name}-${randomName()}`));
}

function markOf(folder: string): string {
  return join(folder, "unsaved.json");
}
