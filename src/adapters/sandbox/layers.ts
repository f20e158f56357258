/**
 * From mounts and sealed paths to what is mounted, in order. A sealed path is mounted over itself, read-only; when it is
 * missing, an empty folder takes its place. Every folder on the way to it is mounted over itself too: a folder that is
 * a mount point cannot be moved away and made anew without the seal.
 */
import { lstatSync, type Stats } from "node:fs";
import { isAbsolute, normalize } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { SANDBOX_ERRORS } from "../../ports/errors/sandbox-errors.ts";
import type { Mount } from "../../ports/sandbox.ts";
import { type MountPoints, type Spot, statOf } from "./mount-points.ts";
import { type Layer, PRIVATE_FOLDERS } from "./wall.ts";
import { isWithin } from "./within.ts";

export interface Laid {
  readonly layers: readonly Layer[];
  /** Takes away what had to be made. */
  clear(): void;
}

/** Not to be mounted at or below: what is there is part of the wall. */
const PARTS_OF_THE_WALL = ["/proc", "/dev", "/sys"];

/** Throws SANDBOX_PATH_UNFIT; then nothing is left behind. */
export function layOut(mounts: readonly Mount[], sealed: readonly string[], points: MountPoints): Laid {
  const undo: (() => void)[] = [];
  const clear = (): void => {
    for (const call of undo.splice(0).reverse()) call();
  };
  try {
    const layers: Layer[] = [];
    const seals = outermost(sealed).flatMap((path) => sealOf(mounts, path));
    for (const [index, mount] of mounts.entries()) {
      const stats = checkMount(mount);
      undo.push(...makeRoom(mounts, index, stats, points));
      layers.push({ kind: mount.access, from: mount.from, to: mount.to });
      const below = seals.filter((seal) => seal.cover === index);
      layers.push(...layersOfSeals(mount, below, points, undo));
    }
    return { layers, clear };
  } catch (error) {
    clear();
    throw error;
  }
}

function checkMount({ from, to }: Mount): Stats {
  checkPath(from);
  checkPath(to);
  if (to === "/" || isWithin(PARTS_OF_THE_WALL, to)) throw unfit(to, "the wall itself is there");
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined) throw unfit(from, "it does not exist");
  if (stats.isSymbolicLink()) throw unfit(from, "it is a symbolic link");
  if (!stats.isDirectory() && !stats.isFile()) throw unfit(from, "it is neither a file nor a folder");
  return stats;
}

/** A place for a mount that lies in an earlier one. Returns how to take it away again. */
function makeRoom(mounts: readonly Mount[], index: number, stats: Stats, points: MountPoints): readonly (() => void)[] {
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

function checkRoom(cover: Mount, found: Stats | undefined, kind: "folder" | "file", to: string): void {
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

/** No seal where nothing can be written anyway. */
function sealOf(mounts: readonly Mount[], path: string): readonly Seal[] {
  checkPath(path);
  const cover = mounts.findLastIndex((mount) => isWithin([mount.to], path));
  const beneath = mounts.slice(cover + 1).find((mount) => isWithin([path], mount.to));
  if (beneath !== undefined) throw unfit(path, `${beneath.to} is mounted below it`);
  const mount = mounts[cover];
  if (mount !== undefined) return mount.access === "write" ? [{ cover, path }] : [];
  const folder = PRIVATE_FOLDERS.find((each) => isWithin([each.path], path));
  if (folder !== undefined) throw unfit(path, `it lies in ${folder.path}, which is the program's own`);
  return [];
}

function layersOfSeals(
  mount: Mount,
  seals: readonly Seal[],
  points: MountPoints,
  undo: (() => void)[],
): readonly Layer[] {
  const layers = new Map<string, Layer>();
  for (const { path } of seals) {
    if (path === mount.to) return [{ kind: "read", from: mount.from, to: path }];
    const parts = path.slice(mount.to.length + 1).split("/");
    for (const depth of parts.keys()) {
      const spot = { root: mount.from, parts: parts.slice(0, depth + 1) };
      const isLast = depth + 1 === parts.length;
      const found = look(spot, path);
      const layer = isLast ? sealLayer(mount, spot, found, path) : pinLayer(mount, spot, found, path);
      undo.push(keep(points, spot, found?.isFile() === true ? "file" : "folder", path));
      layers.set(layer.to, layer);
    }
  }
  return [...layers.values()].sort((a, b) => (a.to < b.to ? -1 : 1));
}

function pinLayer(mount: Mount, spot: Spot, stats: Stats | undefined, path: string): Layer {
  if (stats !== undefined && !stats.isDirectory()) throw unfit(path, "a part of the way to it is not a folder");
  return { kind: "write", from: below(mount.from, spot), to: below(mount.to, spot) };
}

function sealLayer(mount: Mount, spot: Spot, stats: Stats | undefined, path: string): Layer {
  const to = below(mount.to, spot);
  if (stats === undefined) return { kind: "empty", to };
  if (stats.isSymbolicLink()) throw unfit(path, "it is a symbolic link");
  if (!stats.isDirectory() && !stats.isFile()) throw unfit(path, "it is neither a file nor a folder");
  if (stats.isFile() && stats.nlink > 1)
    throw unfit(path, "the same file has another name, by which it could be written");
  return { kind: "read", from: below(mount.from, spot), to };
}

function look(spot: Spot, path: string): Stats | undefined {
  try {
    return statOf(spot);
  } catch {
    throw unfit(path, "a part of the way to it is a link, or cannot be entered");
  }
}

function keep(points: MountPoints, spot: Spot, kind: "folder" | "file", path: string): () => void {
  try {
    return points.keep(spot, kind);
  } catch (error) {
    throw unfit(path, `a place for it cannot be made (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
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
