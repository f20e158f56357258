/** What the parts of this adapter share: where workspaces lie, the vault behind them, the wall around every cell. */
import { chmod, lstat } from "node:fs/promises";
import type { Mount, Sandbox } from "../../ports/sandbox.ts";
import { BEHIND } from "../../ports/sandbox.ts";
import type { SaveLabel } from "../../ports/workspaces.ts";
import { type CellRequest, runCell, SHADOW, startCell, type WaitingCell } from "./cell/cell.ts";
import type { CellAnswer } from "./cell/read-answer.ts";
import { SAVE } from "./cell/scripts.ts";
import type { WaitingCells } from "./cell/waiting-cells.ts";
import type { HostGit } from "./host-git.ts";
import type { Slot } from "./slot/slot.ts";
import { randomName } from "./vault/durable.ts";
import type { Import } from "./vault/import-pack.ts";
import type { Vault } from "./vault/vault.ts";

export interface Yard {
  /** The user's project. */
  readonly root: string;
  /** Where workspaces lie. */
  readonly dir: string;
  readonly home: string;
  readonly git: HostGit;
  readonly sandbox: Sandbox;
  readonly vault: Vault;
  readonly waiting: WaitingCells;
  /** Ends whatever is done here. */
  readonly signal: AbortSignal;
}

export interface CellCall {
  readonly doing: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Besides the workspace, its shadow and the objects of the vault. */
  readonly mounts?: readonly Mount[];
  readonly pack?: () => Import;
}

/** Runs a script in a cell that sees one workspace; the only one then. */
export async function runSlotCell(yard: Yard, slot: Slot, call: CellCall): Promise<CellAnswer> {
  const { pack } = call;
  await Promise.all([openUp(slot), yard.waiting.discard(slot.folder)]);
  const open = pack === undefined ? undefined : () => pack().input;
  return runCell(yard.sandbox, requestOf(yard, slot, call), yard.signal, open);
}

/** From soon on a cell waits to save this workspace. */
export function prepareSave(yard: Yard, slot: Slot): void {
  yard.waiting.prepare(slot.folder, markOf(yard, slot), () => startSave(yard, slot, "yes"));
}

/** A cell that waits to save this workspace; it must be begun or discarded. */
export async function readySave(yard: Yard, slot: Slot): Promise<WaitingCell> {
  const [found] = await Promise.all([yard.waiting.take(slot.folder, markOf(yard, slot)), openUp(slot)]);
  return found ?? startSave(yard, slot, "");
}

function startSave(yard: Yard, slot: Slot, ahead: "yes" | ""): Promise<WaitingCell> {
  const call = { doing: "saving a workspace", script: SAVE, env: { AHEAD: ahead } };
  return startCell(yard.sandbox, requestOf(yard, slot, call));
}

/** What a wall is built over: a folder that was put in the place of another is not seen behind it. */
function markOf(yard: Yard, slot: Slot): () => Promise<string> {
  return async () => {
    const folders = await Promise.all([slot.tree, slot.shadow, yard.vault.objects].map((path) => lstat(path)));
    return folders.map(({ dev, ino }) => `${dev}:${ino}`).join(" ");
  };
}

/** A stage may have shut its own folder. It cannot have replaced it: that is a mount point to it. */
async function openUp(slot: Slot): Promise<void> {
  await chmod(slot.tree, 0o700).catch(() => undefined);
}

function requestOf(yard: Yard, slot: Slot, { doing, script, env, mounts }: CellCall): CellRequest {
  return {
    key: keyOf(slot),
    doing,
    script,
    env,
    mounts: [
      { from: slot.tree, to: BEHIND.workspace, access: "write" },
      { from: slot.shadow, to: SHADOW, access: "write" },
      { from: yard.vault.objects, to: BEHIND.objects, access: "read" },
      ...(mounts ?? []),
    ],
  };
}

export function keyOf(slot: Slot): string {
  return `${slot.run}:workspace:${randomName()}`;
}

export function messageOf(slot: Slot, label: SaveLabel): string {
  return `${label.stage}, attempt ${label.attempt}\n\nPawl-Run: ${slot.run}\n`;
}

export function refFolder(slot: Slot, kind: "saved" | "left" | "kept" | "salvage"): string {
  return `refs/pawl/${slot.run}/${kind}`;
}
