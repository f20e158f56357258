/** A file that a process has left: stored as it is, and never one that a link leads to. */
import { constants, existsSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isPawlError } from "../../../base/errors.ts";
import type { Artifacts } from "../../../ports/artifacts.ts";
import type { ArtifactRef } from "../../../run/events.ts";

const NO_FILE: Readonly<Record<string, string>> = {
  ARTIFACT_TOO_LARGE: "it is too large",
  ARTIFACT_NOT_A_FILE: "it is missing or not an ordinary file",
};

/** The stored file, or why there is none. */
export async function storeFile(artifacts: Artifacts, folder: string, path: string): Promise<ArtifactRef | string> {
  const file = await holdFile(folder, path);
  if (file === undefined) return `is not at ${path}`;
  try {
    return await artifacts.putFile(file.path);
  } catch (error) {
    const problem = isPawlError(error) ? NO_FILE[error.code] : undefined;
    if (problem === undefined) throw error;
    return `cannot be stored: ${problem}`;
  } finally {
    await file.parent.close();
  }
}

const HELD_PATHS = existsSync("/proc/self/fd");

/**
 * An output whose folder is below the working folder. The folder is held open and it is the held one that is checked:
 * a link that takes its place afterwards leads nowhere. The last part of the path is checked by the store.
 */
export async function holdFile(
  folder: string,
  path: string,
): Promise<{ readonly path: string; readonly parent: FileHandle } | undefined> {
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  if (name === "" || name === "." || name === "..") return undefined;
  const place = resolve(folder, path.slice(0, cut + 1));
  const parent = await open(place, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  if (parent === undefined) return undefined;
  const held = HELD_PATHS ? `/proc/self/fd/${parent.fd}` : place;
  const way = relative(folder, await realpath(held).catch(() => sep));
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return { path: join(held, name), parent };
  await parent.close();
  return undefined;
}
