/** What is mounted at one sealed path: itself, what its link leads to, or something empty. Nothing of it can be written. */
import type { BigIntStats } from "node:fs";
import { pawlError } from "../../../base/errors.ts";
import { isFileByNature } from "../../../plan/paths/sealed-names.ts";
import { SANDBOX_ERRORS } from "../../../ports/errors/sandbox-errors.ts";
import { idOf, type Layer } from "../wall.ts";
import { createBlankFiles } from "./blank-file.ts";
import { leadOf } from "./linked-parts.ts";
import type { MountPoints, Spot } from "./mount-points.ts";
import { statOf } from "./mount-points.ts";

/** What had to be made or must be made yet. */
export interface Laying {
  readonly points: MountPoints;
  /** Empty folders that had to be made stay. */
  readonly keepsPlaces: boolean;
  /** Whether a program sees there what is there, and not something that is mounted over it. */
  readonly shows: (parts: readonly string[]) => boolean;
  /** Paths on this machine where a pipe must stand before the wall is built. */
  readonly pipes: string[];
  readonly undo: (() => void)[];
}

const blankFile = createBlankFiles();

/** `found`: what is at the place; `to`: the sealed path behind the wall. Throws when it cannot be held. */
export function sealPlace(laying: Laying, spot: Spot, found: BigIntStats | undefined, to: string): Layer {
  const { points, undo } = laying;
  if (found?.isSymbolicLink() === true) return sealLink(laying, spot, to);
  if (found?.isDirectory() === true || found?.isFile() === true) {
    if (found.isFile() && found.nlink > 1n)
      throw unfit(to, "the same file has another name, by which it could be written");
    undo.push(points.keep(spot, found.isFile() ? "file" : "folder"));
    return { kind: "read", from: pathOf(spot), to, id: idOf(found) };
  }
  // What is neither file nor folder holds no configuration, and a file can be laid over it.
  if (found === undefined && !isFileByNature(to)) return emptyLayer(laying, spot, to);
  undo.push(points.keep(spot, "mark"));
  markBelated(laying, spot);
  return blankLayer(to);
}

/** The link itself cannot be held where it is: a mount would follow it. What it leads to takes its place meanwhile. */
function sealLink(laying: Laying, spot: Spot, to: string): Layer {
  const { points, undo } = laying;
  const lead = leadOf(spot);
  const isPlain = lead?.is === "file" || lead?.is === "folder";
  const target = isPlain && laying.shows(lead.parts) ? { root: spot.root, parts: lead.parts } : null;
  const found = target === null ? undefined : statOf(target);
  const isFolder = found === undefined ? !isFileByNature(to) : found.isDirectory();
  undo.push(points.keepLink(spot, isFolder ? "folder" : "mark"));
  if (!isFolder) markBelated(laying, spot);
  if (target !== null && found !== undefined) return { kind: "read", from: pathOf(target), to, id: idOf(found) };
  return isFolder ? { kind: "empty", to } : blankLayer(to);
}

function emptyLayer({ points, undo, keepsPlaces }: Laying, spot: Spot, to: string): Layer {
  if (keepsPlaces) points.place(spot);
  else undo.push(points.keep(spot, "folder"));
  return { kind: "empty", to };
}

function markBelated({ pipes }: Laying, spot: Spot): void {
  if (statOf(spot) === undefined) pipes.push(pathOf(spot));
}

function blankLayer(to: string): Layer {
  const { path, stats } = blankFile();
  return { kind: "read", from: path, to, id: idOf(stats) };
}

function pathOf({ root, parts }: Spot): string {
  return `${root}/${parts.join("/")}`;
}

function unfit(path: string, problem: string): Error {
  return pawlError(SANDBOX_ERRORS, "SANDBOX_PATH_UNFIT", { path, problem });
}
