/** What the parts of this adapter share: where workspaces lie, the vault behind them, the wall around every cell. */
import { chmod } from "node:fs/promises";
import type { Mount, Sandbox } from "../../ports/sandbox.ts";
import { BEHIND } from "../../ports/sandbox.ts";
import type { SaveLabel } from "../../ports/workspaces.ts";
import { type Cell, type CellAnswer, type CellRequest, runCell, SHADOW, startCell } from "./cell/cell.ts";
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
}

export interface CellCall {
  readonly doing: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Besides the workspace, its shadow and the objects of the vault. */
  readonly mounts?: readonly Mount[];
  readonly pack?: () => Import;
  readonly gate?: Promise<unknown>;
}

/** A cell that sees one workspace. */
export async function startSlotCell(yard: Yard, slot: Slot, call: CellCall): Promise<Cell> {
  await openUp(slot);
  return startCell(yard.sandbox, requestOf(yard, slot, call));
}

export async function runSlotCell(yard: Yard, slot: Slot, call: CellCall): Promise<CellAnswer> {
  await openUp(slot);
  return runCell(yard.sandbox, requestOf(yard, slot, call));
}

/** A stage may have shut its own folder. It cannot have replaced it: that is a mount point to it. */
async function openUp(slot: Slot): Promise<void> {
  await chmod(slot.tree, 0o700).catch(() => undefined);
}

function requestOf(yard: Yard, slot: Slot, { doing, script, env, mounts, pack, gate }: CellCall): CellRequest {
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
    ...(pack === undefined ? {} : { pack: () => pack().input }),
    ...(gate === undefined ? {} : { gate }),
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
