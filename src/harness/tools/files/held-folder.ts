/**
 * Files below a folder, opened step by step, each step through the open folder before it. No link is followed, not even one that
 * stays inside: policy has judged the path as it is written. What is exchanged for a link between two steps leads nowhere.
 */

import { randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { ToolProblem } from "../tool-problem.ts";
import { shownPath, stepsTo } from "./place.ts";

/** Where open files have a path of their own; elsewhere the last step alone is safe from an exchange. */
const HELD_PATHS = existsSync("/proc/self/fd");
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface HeldFile {
  /** A path of the open folder, good while it is held. */
  readonly folder: string;
  readonly name: string;
  /** From the root, for messages. */
  readonly place: string;
}

export const MOST_FILE_BYTES = 1024 * 1024;

/** Works with the folder of a file while it is held. `make`: folders that are missing are made. */
export async function holding<T>(
  root: string,
  place: string,
  { make }: { readonly make: boolean },
  work: (file: HeldFile) => Promise<T>,
): Promise<T> {
  const steps = stepsTo(place);
  const name = steps.at(-1);
  if (name === undefined) throw new ToolProblem("the workspace itself is no file");
  return holdingFolder(root, steps.slice(0, -1), make, (folder) => work({ folder, name, place }));
}

/** Works with a folder while it is held. */
export async function holdingFolder<T>(
  root: string,
  steps: readonly string[],
  make: boolean,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const top = await realpath(root);
  let handle = await open(top, constants.O_RDONLY | constants.O_DIRECTORY);
  let path = pathOf(handle, top);
  try {
    for (const [index, step] of steps.entries()) {
      const next = await descend(path, step, make, steps.slice(0, index + 1).join("/"));
      await handle.close();
      handle = next.handle;
      path = next.path;
      await checkInside(top, path);
    }
    return await work(path);
  } finally {
    await handle.close();
  }
}

async function descend(
  from: string,
  step: string,
  make: boolean,
  place: string,
): Promise<{ readonly handle: FileHandle; readonly path: string }> {
  const path = `${from}/${step}`;
  if (make)
    await mkdir(path).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw explained(error, place);
    });
  const handle = await open(path, FOLDER).catch((error: unknown) => {
    throw explained(error, place);
  });
  return { handle, path: pathOf(handle, path) };
}

function pathOf({ fd }: FileHandle, path: string): string {
  return HELD_PATHS ? `/proc/self/fd/${fd}` : path;
}

/** A folder that was moved away while it was being opened. */
async function checkInside(top: string, path: string): Promise<void> {
  const real = await realpath(path);
  if (!`${real}/`.startsWith(top === "/" ? top : `${top}/`)) throw new ToolProblem("it has left the workspace");
}

/** The bytes of a regular file. */
export async function readHeld({ folder, name, place }: HeldFile, most = MOST_FILE_BYTES): Promise<Buffer> {
  const handle = await open(`${folder}/${name}`, READ).catch((error: unknown) => {
    throw explained(error, place);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new ToolProblem(`${shownPath(place)} is no file`);
    if (found.size > most) throw new ToolProblem(`${shownPath(place)} has ${found.size} bytes, more than ${most}`);
    return await readUpTo(handle, most, place);
  } finally {
    await handle.close();
  }
}

/** A file may grow while it is read. */
async function readUpTo(handle: FileHandle, most: number, place: string): Promise<Buffer> {
  const buffer = Buffer.alloc(most + 1);
  let read = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, read, buffer.length - read, read);
    if (bytesRead === 0) return buffer.subarray(0, read);
    read += bytesRead;
    if (read > most) throw new ToolProblem(`${shownPath(place)} has more than ${most} bytes`);
  }
}

/** Puts these bytes in the place of the file, whole or not at all; a link is never written through. */
export async function replaceHeld({ folder, name, place }: HeldFile, bytes: Uint8Array): Promise<void> {
  const path = `${folder}/${name}`;
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw new ToolProblem(`${shownPath(place)} is there and is no file`);
  const fresh = `${folder}/.pawl-tmp-${randomBytes(8).toString("hex")}`;
  const handle = await open(fresh, NEW, found === undefined ? 0o644 : found.mode & 0o777);
  try {
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw explained(error, place);
  }
}

/** Removes a regular file. */
export async function removeHeld({ folder, name, place }: HeldFile): Promise<void> {
  const found = await lstat(`${folder}/${name}`).catch((error: unknown) => {
    throw explained(error, place);
  });
  if (!found.isFile()) throw new ToolProblem(`${shownPath(place)} is no file`);
  await rm(`${folder}/${name}`);
}

export async function existsHeld({ folder, name }: HeldFile): Promise<boolean> {
  return lstat(`${folder}/${name}`).then(
    () => true,
    () => false,
  );
}

function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is a link or no folder, and links are not followed",
  ELOOP: "is a link, and links are not followed",
  ENXIO: "is no file",
  EACCES: "cannot be opened: permission denied",
  ENOSPC: "cannot be written: no space is left",
  ENAMETOOLONG: "has too long a name",
};

function explained(error: unknown, place: string): Error {
  const code = errnoOf(error);
  if (code === undefined) return error as Error;
  return new ToolProblem(`${shownPath(place)} ${REASONS[code] ?? `cannot be used: ${code}`}`, { cause: error });
}
