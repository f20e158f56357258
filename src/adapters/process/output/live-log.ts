/**
 * The files of a live log. The first bytes are in one file, the last in two that take turns; each but the first is
 * named after the place of its first byte, so that a reader knows what is missing in between.
 *
 *   build-1.log (head)   …left out…   build-1.log.700000   build-1.log.1224288
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../base/digest.ts";

export interface LiveLogParts {
  readonly head: Buffer;
  /** Bytes that are left out between head and tail. */
  readonly gap: number;
  readonly tail: Buffer;
}

export interface Segments {
  append(bytes: Buffer): Promise<void>;
  /** Leaves out so many bytes. */
  skip(bytes: number): void;
  /** Writes nothing more. */
  giveUp(): Promise<void>;
  /** There is a file. */
  hasBegun(): boolean;
  close(): Promise<void>;
}

const RUN = /^[A-Za-z0-9_]+$/;
const OPEN_TRIES = 5;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND;

/** Removes the live logs of a run. */
export async function removeLiveLogs(logsDir: string, run: string): Promise<void> {
  await rm(folderOf(logsDir, run), { recursive: true, force: true });
}

/** Names of the runs that have live logs. */
export async function runsWithLiveLogs(logsDir: string): Promise<readonly string[]> {
  return (await readdir(logsDir).catch(() => [])).filter((name) => RUN.test(name));
}

function folderOf(logsDir: string, run: string): string {
  return join(logsDir, encodeURIComponent(run));
}

/** Where the live log of an attempt begins; further files are beside it. */
export function liveLogPath(logsDir: string, run: string, stage: string, attempt: number): string {
  return join(folderOf(logsDir, run), `${sha256(stage).slice(0, 24)}-${attempt}.log`);
}

export function createSegments(path: string, headBytes: number, segmentBytes: number): Segments {
  let place = 0;
  let room = headBytes;
  let current: FileHandle | undefined;
  let isBroken = false;
  let hasFolder = false;
  /** Without the head, which stays. */
  const tails: string[] = [];

  const close = async (): Promise<void> => {
    await current?.close();
    current = undefined;
  };
  const next = async (): Promise<FileHandle> => {
    await close();
    const isHead = place === 0 && headBytes > 0;
    const file = isHead ? path : `${path}.${place}`;
    room = isHead ? headBytes : segmentBytes;
    if (!isHead) {
      // The older one goes before a new one comes: so the disk never holds more than it may.
      for (const old of tails.splice(0, tails.length - 1)) await rm(old, { force: true });
      tails.push(file);
    }
    current = hasFolder ? await open(file, NEW_FILE, 0o600) : await openFirst(path, file);
    hasFolder = true;
    return current;
  };

  return {
    append: async (bytes) => {
      let rest = bytes;
      while (rest.length > 0 && !isBroken) {
        const file = current === undefined || room === 0 ? await next() : current;
        const { bytesWritten } = await file.write(rest, 0, Math.min(rest.length, room));
        rest = rest.subarray(bytesWritten);
        place += bytesWritten;
        room -= bytesWritten;
      }
    },
    skip: (bytes) => {
      place += bytes;
      room = 0;
    },
    giveUp: async () => {
      isBroken = true;
      await close();
    },
    hasBegun: () => hasFolder,
    close,
  };
}

/** Makes the folder; nothing stays in it from an attempt of the same name that nobody picked up. */
async function openFirst(path: string, file: string): Promise<FileHandle> {
  for (let left = OPEN_TRIES; ; left -= 1) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await lstat(dirname(path))).isDirectory()) throw new Error(`${dirname(path)} is not a folder`);
    for (const old of await filesOf(path)) await rm(old.path, { force: true });
    try {
      return await open(file, NEW_FILE, 0o600);
    } catch (error) {
      // Whoever ended just now took the folder away that was empty in this moment.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || left === 0) throw error;
    }
  }
}

interface Segment {
  readonly path: string;
  readonly place: number;
}

async function filesOf(path: string): Promise<readonly Segment[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const name = basename(path);
  const files = names.flatMap((each) => {
    if (each === name) return [{ path, place: 0 }];
    const place = each.startsWith(`${name}.`) ? each.slice(name.length + 1) : "";
    return /^\d{1,15}$/.test(place) ? [{ path: join(dirname(path), each), place: Number(place) }] : [];
  });
  return files.sort((a, b) => a.place - b.place);
}

export async function removeLiveLog(path: string): Promise<void> {
  for (const { path: file } of await filesOf(path)) await rm(file, { force: true });
  // The folder goes with the last log in it.
  await rmdir(dirname(path)).catch(() => undefined);
}

/** What a live log holds at this moment, also when its writer is at work or dead; null: there is none. */
export async function readLiveLog(path: string): Promise<LiveLogParts | null> {
  const parts: { readonly place: number; readonly bytes: Buffer }[] = [];
  for (const { path: file, place } of await filesOf(path)) {
    const bytes = await readRegular(file);
    if (bytes !== undefined) parts.push({ place, bytes });
  }
  if (parts.length === 0) return null;
  const isHead = parts[0]?.place === 0;
  const head = isHead ? (parts.shift()?.bytes ?? Buffer.alloc(0)) : Buffer.alloc(0);
  const begin = parts[0]?.place ?? head.length;
  // Two parts of the tail may have a gap between them as well: only what follows the last gap is the end of the log.
  const last = parts.findLastIndex((part, index) => {
    const before = parts[index - 1];
    return before !== undefined && before.place + before.bytes.length !== part.place;
  });
  const whole = last === -1 ? parts : parts.slice(last);
  const tail = Buffer.concat(whole.map((part) => part.bytes));
  return { head, gap: (whole[0]?.place ?? begin) - head.length, tail };
}

async function readRegular(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? await readFile(file) : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
