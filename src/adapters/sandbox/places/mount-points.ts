/**
 * Places to mount at that did not exist in a folder of this machine, made before a wall is built and taken away after
 * it. The folder belongs to programs that may have left anything in it, so each step goes through an open folder and
 * follows no link.
 */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { createServer, type Server } from "node:net";

/** A place below a folder that nobody can replace meanwhile: the folder itself is given by the host. */
export interface Spot {
  readonly root: string;
  readonly parts: readonly string[];
}

/**
 * What stands at a place so that something can be mounted there. A mark stands for a file that nobody may take for one: a
 * socket or pipe without any permission, which git neither lists nor saves, also when its host was killed before it could
 * take it away. Where a file system has no sockets, whoever starts the wall makes a pipe.
 */
export type Stand = "folder" | "file" | "mark";

export interface MountPoints {
  /**
   * Keeps the place for one wall, and makes it an empty folder or file when nothing is there. Throws when a part of
   * the way is missing, a link, or no folder. The returned function gives it back: the last one to do so takes away
   * what was made, unless something has been put there.
   */
  keep(spot: Spot, stand: Stand): () => void;
  /** The same for a place where a link is: it is put away, and back when the place is given back. */
  keepLink(spot: Spot, stand: Exclude<Stand, "file">): () => void;
  /** Makes it an empty folder that stays. */
  place(spot: Spot): void;
}

interface Kept {
  users: number;
  readonly undo: (() => void)[];
}

const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const nothing = (): void => undefined;

export function createMountPoints(): MountPoints {
  // Removing a place while another wall still stands on it would take that wall's mount away with it.
  const kept = new Map<string, Kept>();
  const hold = (spot: Spot, begin: () => () => void): (() => void) => {
    const name = nameOf(spot);
    const undo = begin();
    const entry = kept.get(name) ?? { users: 0, undo: [] };
    kept.set(name, entry);
    entry.users += 1;
    entry.undo.push(undo);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      entry.users -= 1;
      if (entry.users > 0) return;
      kept.delete(name);
      for (const call of entry.undo.reverse()) quietly(call);
    };
  };
  return {
    keep: (spot, stand) => hold(spot, () => begin(spot, stand)),
    place: (spot) => {
      make(spot, "folder");
    },
    keepLink: (spot, stand) => hold(spot, () => putAway(spot, stand)),
  };
}

/** What is at the place, not following a link; undefined: nothing. Throws when the way there is no plain way. */
export function statOf(spot: Spot): BigIntStats | undefined {
  return inFolderOf(spot, (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** Where the link at the place leads, as it is written. */
export function targetOf(spot: Spot): string {
  return inFolderOf(spot, (path) => readlinkSync(path, "utf8"));
}

/** Returns how to take away what was made. */
function begin(spot: Spot, stand: Stand): () => void {
  if (stand === "mark") {
    inFolderOf(spot, makeMark);
    return () => takeMark(spot);
  }
  if (!make(spot, stand)) return nothing;
  const made = statOf(spot);
  return made === undefined ? nothing : () => takeAway(spot, made, stand);
}

function putAway(spot: Spot, stand: Exclude<Stand, "file">): () => void {
  const target = inFolderOf(spot, (path) => readlinkSync(path, "buffer"));
  inFolderOf(spot, unlinkSync);
  const putBack = (): void => inFolderOf(spot, (path) => symlinkSync(target, path));
  try {
    const undo = begin(spot, stand);
    return () => {
      quietly(undo);
      putBack();
    };
  } catch (error) {
    putBack();
    throw error;
  }
}

function make(spot: Spot, stand: "folder" | "file"): boolean {
  return inFolderOf(spot, (path) => {
    try {
      if (stand === "folder") mkdirSync(path, 0o755);
      else closeSync(openSync(path, "wx", 0o644));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

function takeAway(spot: Spot, made: BigIntStats, stand: "folder" | "file"): void {
  inFolderOf(spot, (path) => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !isSame(stats, made)) return;
    if (stand === "folder") rmdirSync(path);
    else if (stats.size === 0n && stats.nlink === 1n) unlinkSync(path);
  });
}

/** All marks of one wall are names of one socket. Nothing is made where that cannot be. */
function makeMark(path: string): void {
  const { marks } = held as Held;
  const [first] = marks;
  if (first !== undefined) {
    quietly(() => linkSync(first.path, path));
    return;
  }
  const own = `${path}.${process.pid}`;
  marks.push({ server: createServer().on("error", nothing).listen(own), path: own });
  quietly(() => chmodSync(own, 0));
  quietly(() => linkSync(own, path));
}

function takeMark(spot: Spot): void {
  inFolderOf(spot, (path) => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const isMark = stats?.isSocket() === true || stats?.isFIFO() === true;
    if (isMark && (stats.mode & 0o777n) === 0n) unlinkSync(path);
  });
}

/** Nothing of this may fail the caller: a place that is in use, gone or replaced is no longer ours. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {
    return;
  }
}

/** A number is given again when what had it is gone, so the time of birth counts too. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.birthtimeNs === other.birthtimeNs;
}

/** The same for every way that leads to the place. */
function nameOf(spot: Spot): string {
  const folder = { root: spot.root, parts: [...spot.parts.slice(0, -1), "."] };
  const { dev, ino, birthtimeNs } = statOf(folder) as BigIntStats;
  return `${dev}:${ino}:${birthtimeNs}/${spot.parts.at(-1)}`;
}

/** Calls with a path to the place that goes through the open folder it is in. */
function inFolderOf<T>(spot: Spot, call: (path: string) => T): T {
  return holdingFolders(() => {
    const folder = folderFor(spot.root, spot.parts.slice(0, -1));
    return call(`/proc/self/fd/${folder}/${spot.parts.at(-1) ?? "."}`);
  });
}

interface Held {
  /** Open, by their way. */
  readonly folders: Map<string, number>;
  readonly marks: { readonly server: Server; readonly path: string }[];
}

/** null: nobody holds any. */
let held: Held | null = null;

/** Many steps in the same folders: each is opened once. */
export function holdingFolders<T>(work: () => T): T {
  if (held !== null) return work();
  const mine: Held = { folders: new Map(), marks: [] };
  held = mine;
  try {
    return work();
  } finally {
    held = null;
    // It takes its own name away, which goes through a folder that is still open; the places keep theirs.
    for (const { server } of mine.marks) server.close();
    for (const folder of mine.folders.values()) closeSync(folder);
  }
}

function folderFor(root: string, parts: readonly string[]): number {
  const { folders: open } = held as Held;
  const name = [root, ...parts].join("/");
  const known = open.get(name);
  if (known !== undefined) return known;
  const last = parts.at(-1);
  const path = last === undefined ? root : `/proc/self/fd/${folderFor(root, parts.slice(0, -1))}/${last}`;
  const folder = openSync(path, FOLDER_ONLY);
  open.set(name, folder);
  return folder;
}
