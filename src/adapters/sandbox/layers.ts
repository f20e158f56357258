/**
 * From mounts and sealed paths to what is mounted, in order. A sealed path is mounted over itself, read-only; when it is
 * missing, an empty folder or file takes its place. Every folder on the way to it is mounted over itself too: a folder
 * that is a mount point cannot be moved away and made anew without the seal.
 */
import { type BigIntStats, lstatSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { scarcityIn } from "../../base/scarcity.ts";
import { SANDBOX_ERRORS } from "../../ports/errors/sandbox-errors.ts";
import type { Mount } from "../../ports/sandbox.ts";
import { type Lead, leadOf } from "./places/linked-parts.ts";
import { holdingFolders, type MountPoints, type Spot, type Stand, statOf } from "./places/mount-points.ts";
import { type Laying, sealPlace } from "./places/seal-place.ts";
import { idOf, type Layer, PRIVATE_FOLDERS } from "./wall.ts";
import { isWithin } from "./within.ts";

export interface Laid {
  readonly layers: readonly Layer[];
  /** Paths on this machine where a pipe must stand before the wall is built. */
  readonly pipes: readonly string[];
  /** Folders of this machine that may be written while the wall is built, when there must be a fence; none: there need be none. */
  readonly fence: readonly string[];
  /** Takes away what had to be made. */
  clear(): void;
}

/** Not to be mounted at or below: what is there is part of the wall. */
const PARTS_OF_THE_WALL = ["/proc", "/dev", "/sys"];

/** Throws SANDBOX_PATH_UNFIT; then nothing is left behind. */
export function layOut(mounts: readonly Mount[], sealed: readonly string[], points: MountPoints): Laid {
  return holdingFolders(() => lay(mounts, sealed, points));
}

function lay(mounts: readonly Mount[], sealed: readonly string[], points: MountPoints): Laid {
  const laying: Omit<Laying, "keepsPlaces" | "shows"> = { points, pipes: [], undo: [] };
  const clear = (): void => {
    holdingFolders(() => {
      for (const call of laying.undo.splice(0).reverse()) call();
    });
  };
  try {
    const layers: Layer[] = [];
    const seals = sealsOf(mounts, sealed);
    for (const [index, mount] of mounts.entries()) {
      const stats = checkMount(mount);
      laying.undo.push(...makeRoom(mounts, index, stats, points));
      layers.push({ kind: mount.access, from: mount.from, to: mount.to, id: idOf(stats) });
      const below = seals.filter((seal) => seal.cover === index);
      const keepsPlaces = mount.keepsPlaces === true;
      const shows: Laying["shows"] = (parts) => coverOf(mounts, `${mount.to}/${parts.join("/")}`) === index;
      layers.push(...layersOfSeals(mount, stats, below, { ...laying, keepsPlaces, shows }));
    }
    return { layers, pipes: laying.pipes, fence: fenceOf(mounts, seals), clear };
  } catch (error) {
    clear();
    throw error;
  }
}

/** Of a sealed place below a folder that programs may write, that folder can be exchanged while the place is looked for. */
function fenceOf(mounts: readonly Mount[], seals: readonly Seal[]): readonly string[] {
  const isDeep = ({ cover, path }: Seal): boolean => path.slice((mounts[cover] as Mount).to.length + 1).includes("/");
  return seals.some(isDeep) ? mounts.filter(({ access }) => access === "write").map(({ from }) => from) : [];
}

function checkMount({ from, to }: Mount): BigIntStats {
  checkPath(from);
  checkPath(to);
  if (to === "/" || isWithin(PARTS_OF_THE_WALL, to)) throw unfit(to, "the wall itself is there");
  const stats = lstatSync(from, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) throw unfit(from, "it does not exist");
  if (stats.isSymbolicLink()) throw unfit(from, "it is a symbolic link");
  if (!stats.isDirectory() && !stats.isFile()) throw unfit(from, "it is neither a file nor a folder");
  return stats;
}

/** A place for a mount that lies in an earlier one. Returns how to take it away again. */
function makeRoom(
  mounts: readonly Mount[],
  index: number,
  stats: BigIntStats,
  points: MountPoints,
): readonly (() => void)[] {
  const { to } = mounts[index] as Mount;
  const cover = mounts.slice(0, index).findLast((mount) => isWithin([mount.to], to));
  if (cover === undefined || cover.to === to) return [];
  const parts = to.slice(cover.to.length + 1).split("/");
  const undo: (() => void)[] = [];
  for (const depth of parts.keys()) {
    const spot = { root: cover.from, parts: parts.slice(0, depth + 1) };
    const kind = depth + 1 < parts.length || stats.isDirectory() ? "folder" : "file";
    checkRoom(cover, look(spot, to), kind, to);
    if (cover.access === "write") undo.push(keep(points, spot, kind, to));
  }
  return undo;
}

function checkRoom(cover: Mount, found: BigIntStats | undefined, kind: "folder" | "file", to: string): void {
  if (found === undefined) {
    if (cover.access === "read") throw unfit(to, "there is no place for it in a read-only mount");
    return;
  }
  const fits = kind === "folder" ? found.isDirectory() : found.isFile();
  if (!fits) throw unfit(to, `there is something else than a ${kind} on the way to it`);
}

interface Seal {
  /** Index of the mount it lies in. */
  readonly cover: number;
  readonly path: string;
}

/** Where a sealed path is a link, what it leads to is sealed with it, also when there is nothing yet. */
function sealsOf(mounts: readonly Mount[], sealed: readonly string[]): readonly Seal[] {
  const given = outermost(sealed).flatMap((path) => sealOf(mounts, path));
  const linked = given.flatMap((seal) => {
    const mount = mounts[seal.cover] as Mount;
    const lead = seal.path === mount.to ? null : leadFrom(mount, seal.path);
    const path = `${mount.to}/${lead?.parts.join("/")}`;
    if (lead === null || coverOf(mounts, path) !== seal.cover) return [];
    // Whoever could write the second link could lead the first one elsewhere.
    if (lead.is === "link" && !given.some((other) => isWithin([other.path], path)))
      throw unfit(seal.path, "it is a link that leads through another link");
    return [path];
  });
  const all = outermost([...given.map(({ path }) => path), ...linked]);
  return all.flatMap((path) => sealOf(mounts, path));
}

/** null: there is no link. */
function leadFrom(mount: Mount, path: string): Lead | null {
  const spot = spotOf(mount, path);
  return waylaid(spot) || look(spot, path)?.isSymbolicLink() !== true ? null : leadOf(spot);
}

/** A folder on the way to it does not exist. */
function waylaid({ root, parts }: Spot): boolean {
  return parts.slice(0, -1).some((_, depth) => {
    const spot = { root, parts: parts.slice(0, depth + 1) };
    return look(spot, `${root}/${parts.join("/")}`) === undefined;
  });
}

function coverOf(mounts: readonly Mount[], path: string): number {
  return mounts.findLastIndex((mount) => isWithin([mount.to], path));
}

/** No seal where nothing can be written anyway. */
function sealOf(mounts: readonly Mount[], path: string): readonly Seal[] {
  checkPath(path);
  const cover = coverOf(mounts, path);
  const beneath = mounts.slice(cover + 1).find((mount) => isWithin([path], mount.to));
  if (beneath !== undefined) throw unfit(path, `${beneath.to} is mounted below it`);
  const mount = mounts[cover];
  if (mount !== undefined) return mount.access === "write" ? [{ cover, path }] : [];
  const folder = PRIVATE_FOLDERS.find((each) => isWithin([each.path], path));
  if (folder !== undefined) throw unfit(path, `it lies in ${folder.path}, which is the program's own`);
  return [];
}

function layersOfSeals(mount: Mount, stats: BigIntStats, seals: readonly Seal[], laying: Laying): readonly Layer[] {
  const layers = new Map<string, Layer>();
  for (const { path } of seals) {
    if (path === mount.to) return [{ kind: "read", from: mount.from, to: path, id: idOf(stats) }];
    const whole = spotOf(mount, path);
    for (const depth of whole.parts.slice(0, -1).keys()) {
      const spot = { root: mount.from, parts: whole.parts.slice(0, depth + 1) };
      const layer = pinLayer(mount, spot, path, laying);
      layers.set(layer.to, layer);
    }
    const found = look(whole, path);
    try {
      layers.set(path, sealPlace(laying, whole, found, path));
    } catch (error) {
      throw noPlace(path, error);
    }
  }
  return [...layers.values()].sort((a, b) => (a.to < b.to ? -1 : 1));
}

function pinLayer(mount: Mount, spot: Spot, path: string, { points, undo }: Laying): Layer {
  const found = look(spot, path);
  if (found !== undefined && !found.isDirectory()) throw unfit(path, "a part of the way to it is not a folder");
  undo.push(keep(points, spot, "folder", path));
  const made = found ?? look(spot, path);
  if (made === undefined) throw unfit(path, "a part of the way to it was removed at once");
  return { kind: "write", from: below(mount.from, spot), to: below(mount.to, spot), id: idOf(made) };
}

function spotOf(mount: Mount, path: string): Spot {
  return { root: mount.from, parts: path.slice(mount.to.length + 1).split("/") };
}

function look(spot: Spot, path: string): BigIntStats | undefined {
  try {
    return statOf(spot);
  } catch (error) {
    if (isScarce(error)) throw error;
    throw unfit(path, "a folder on the way to it is a link, or cannot be entered");
  }
}

function keep(points: MountPoints, spot: Spot, stand: Stand, path: string): () => void {
  try {
    return points.keep(spot, stand);
  } catch (error) {
    throw noPlace(path, error);
  }
}

function noPlace(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  return code.startsWith("SANDBOX_") || isScarce(error)
    ? (error as Error)
    : unfit(path, `a place for it cannot be made (${code})`);
}

function isScarce(error: unknown): boolean {
  return scarcityIn((error as NodeJS.ErrnoException).code ?? "") !== undefined;
}

/** What lies below another sealed path is sealed with it. */
function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin([other], path)));
}

function checkPath(path: string): void {
  const isPlain = isAbsolute(path) && normalize(path) === path && !path.includes("\0");
  if (!isPlain || (path.endsWith("/") && path !== "/")) throw unfit(path, "it is not a plain absolute path");
}

function below(root: string, spot: Spot): string {
  return `${root}/${spot.parts.join("/")}`;
}

function unfit(path: string, problem: string): Error {
  return pawlError(SANDBOX_ERRORS, "SANDBOX_PATH_UNFIT", { path, problem });
}
