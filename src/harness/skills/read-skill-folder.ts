/** The files of a skill, read once, whole. A link or anything else that is no plain file makes the folder unfit. */
import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SkillFile } from "./skill.ts";

const MOST_FILES = 200;
const MOST_BYTES = 4 << 20;
const DEEPEST = 6;

export type SkillFolder = { readonly files: readonly SkillFile[] } | { readonly unfit: string };

export async function readSkillFolder(folder: string): Promise<SkillFolder> {
  const files: SkillFile[] = [];
  const problem = await readInto(files, folder, "", 1);
  return problem === undefined ? { files } : { unfit: problem };
}

async function readInto(files: SkillFile[], folder: string, below: string, depth: number): Promise<string | undefined> {
  if (depth > DEEPEST) return `it is more than ${DEEPEST} folders deep`;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
  if (entries === null) return `${below === "" ? "it" : below} cannot be read`;
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const problem = await readEntry(files, folder, `${below}${entry.name}`, entry, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function readEntry(
  files: SkillFile[],
  folder: string,
  path: string,
  entry: Dirent,
  depth: number,
): Promise<string | undefined> {
  const place = join(folder, entry.name);
  if (entry.isDirectory()) return readInto(files, place, `${path}/`, depth + 1);
  if (!entry.isFile()) return `${path} is a link, or no plain file`;
  if (files.length === MOST_FILES) return `it has more than ${MOST_FILES} files`;
  const room = MOST_BYTES - files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const bytes = await readBytes(place, room);
  if (typeof bytes === "string") return `${path} ${bytes}`;
  files.push({ path, bytes });
  return undefined;
}

/** The bytes, or what is wrong with the file. It may have been replaced since it was listed. */
async function readBytes(path: string, room: number): Promise<Uint8Array | string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) return "is no plain file";
    if (found.size > room) return `makes it larger than ${MOST_BYTES} bytes`;
    const buffer = new Uint8Array(found.size);
    const { bytesRead } = await file.read(buffer, 0, found.size, 0);
    return bytesRead === found.size ? buffer : "changes while it is read";
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? "an unknown error"})`;
  } finally {
    await file?.close();
  }
}
