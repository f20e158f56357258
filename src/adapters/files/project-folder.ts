/**
 * Opens folders below the project root step by step and holds on to each: a link that is put in the way between the
 * check and the write leads nowhere, because the write goes through the open folder.
 */
import { constants, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { isAbsolute, normalize, relative, sep } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { sealedPartOf } from "../../plan/paths/sealed-names.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import { errnoOf } from "./store-errors.ts";

export interface ProjectFile {
  /** A path of the open folder, good until `close`. */
  readonly folder: string;
  readonly name: string;
  /** The true path, for messages and locks. */
  readonly path: string;
  close(): Promise<void>;
}

const HELD_PATHS = existsSync("/proc/self/fd");

/** Opens the folder of a file below the root, making the folders that are missing. `sealed`: folders besides the usual names. */
export async function openProjectFile(root: string, path: string, sealed: readonly string[]): Promise<ProjectFile> {
  const steps = stepsOf(path, sealed);
  const name = steps.pop() as string;
  const top = await realpath(root);
  let held = await hold(top);
  try {
    for (const step of steps) {
      const next = await descend(held, step);
      await held.handle.close();
      held = next;
      checkPlace(top, held.real, path, sealed);
    }
    checkPlace(top, `${held.real}${sep}${name}`, path, sealed);
  } catch (error) {
    await held.handle.close();
    throw error;
  }
  const { handle, real } = held;
  return { folder: held.path, name, path: `${real}${sep}${name}`, close: () => handle.close() };
}

interface Held {
  readonly handle: FileHandle;
  readonly path: string;
  readonly real: string;
}

async function hold(path: string): Promise<Held> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const heldPath = HELD_PATHS ? `/proc/self/fd/${handle.fd}` : await realpath(path);
    return { handle, path: heldPath, real: await realpath(heldPath) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function descend(from: Held, step: string): Promise<Held> {
  const path = `${from.path}/${step}`;
  await mkdir(path).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  return hold(path);
}

function stepsOf(path: string, sealed: readonly string[]): string[] {
  const clean = normalize(path);
  const steps = clean.split(sep);
  if (path.includes("\0") || isAbsolute(clean) || steps[0] === ".." || clean === "." || steps.at(-1) === "")
    throw outside(path);
  // Before a folder is made on the way; where links lead is seen later.
  checkNames(clean, path, sealed);
  return steps;
}

function checkPlace(top: string, real: string, path: string, sealed: readonly string[]): void {
  const way = relative(top, real);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw outside(path);
  checkNames(way, path, sealed);
}

/** What a command may not write behind its wall, an action may not write either. */
function checkNames(way: string, path: string, folders: readonly string[]): void {
  const sealed = sealedPartOf(way.split(sep).join("/"), folders);
  if (sealed !== undefined) throw pawlError(FILE_ERRORS, "FILE_PATH_RESERVED", { path, sealed });
}

function outside(path: string): Error {
  return pawlError(FILE_ERRORS, "FILE_PATH_OUTSIDE", { path });
}
