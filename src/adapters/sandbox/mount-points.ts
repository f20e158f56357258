/**
 * Places to mount at that did not exist in a folder of this machine, made before a wall is built and taken away after
 * it. The folder belongs to programs that may have left anything in it, so each step goes through an open folder and
 * follows no link.
 */
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmdirSync, type Stats, unlinkSync } from "node:fs";

/** A place below a folder that nobody can replace meanwhile: the folder itself is given by the host. */
export interface Spot {
  readonly root: string;
  readonly parts: readonly string[];
}

export interface MountPoints {
  /**
   * Keeps the place for one wall, and makes it an empty folder or file when nothing is there. Throws when a part of
   * the way is missing, a link, or no folder. The returned function gives it back: the last one to do so takes away
   * what was made, unless something has been put there.
   */
  keep(spot: Spot, kind: "folder" | "file"): () => void;
}

interface Kept {
  users: number;
  /** By us, and so to be taken away. */
  readonly made: boolean;
}

const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export function createMountPoints(): MountPoints {
  // Removing a place while another wall still stands on it would take that wall's mount away with it.
  const kept = new Map<string, Kept>();
  return {
    keep: (spot, kind) => {
      const made = make(spot, kind);
      const stats = statOf(spot) as Stats;
      const name = `${stats.dev}:${stats.ino}`;
      const entry = kept.get(name) ?? { users: 0, made };
      kept.set(name, entry);
      entry.users += 1;
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        entry.users -= 1;
        if (entry.users > 0) return;
        kept.delete(name);
        if (entry.made) takeAway(spot, stats, kind);
      };
    },
  };
}

/** What is at the place, not following a link; undefined: nothing. Throws when the way there is no plain way. */
export function statOf(spot: Spot): Stats | undefined {
  return inFolderOf(spot, (path) => lstatSync(path, { throwIfNoEntry: false }));
}

function make(spot: Spot, kind: "folder" | "file"): boolean {
  return inFolderOf(spot, (path) => {
    try {
      if (kind === "folder") mkdirSync(path, 0o755);
      else closeSync(openSync(path, "wx", 0o644));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

/** Nothing of this may fail the caller: a place that is in use, gone or replaced is no longer ours. */
function takeAway(spot: Spot, made: Stats, kind: "folder" | "file"): void {
  try {
    inFolderOf(spot, (path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined || !isSame(stats, made)) return;
      if (kind === "folder") rmdirSync(path);
      else if (stats.size === 0 && stats.nlink === 1) unlinkSync(path);
    });
  } catch {
    return;
  }
}

/** A number is given again when what had it is gone, so the time of birth counts too. */
function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs;
}

/** Calls with a path to the place that goes through the open folder it is in. */
function inFolderOf<T>(spot: Spot, call: (path: string) => T): T {
  let folder = openSync(spot.root, FOLDER_ONLY);
  try {
    for (const part of spot.parts.slice(0, -1)) {
      const next = openSync(`/proc/self/fd/${folder}/${part}`, FOLDER_ONLY);
      closeSync(folder);
      folder = next;
    }
    return call(`/proc/self/fd/${folder}/${spot.parts.at(-1) ?? "."}`);
  } finally {
    closeSync(folder);
  }
}
