/** Texts of the project that people and loops share: read whole, and replaced whole with every byte that nobody meant to change. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { pawlError } from "../../base/errors.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import { replaceFile } from "./durable.ts";
import { openProjectFile, type ProjectFile } from "./project-folder.ts";
import { errnoOf } from "./store-errors.ts";

export interface ProjectTextsOptions {
  readonly root: string;
  /** Folders from which the user's git runs hooks, relative to the root. */
  readonly hooksFolders: () => Promise<readonly string[]>;
  /** Does the work while nobody else does such work in this project; null: it was never its turn. */
  readonly alone: (work: () => Promise<void>) => Promise<object | null>;
}

export interface ProjectTexts {
  /** null: there is no such file. */
  read(path: string): Promise<string | null>;
  /**
   * Whoever writes at the same time is not overwritten: loops wait for each other, and the edit is made again with what a
   * person wrote meanwhile. Rejects with FILE_BUSY when that finds no end.
   */
  change(path: string, edit: (text: string | null) => string): Promise<void>;
}

const MOST_BYTES = 8 << 20;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const TRIES = 5;

export function createProjectTexts({ root, hooksFolders, alone }: ProjectTextsOptions): ProjectTexts {
  const within = async <T>(path: string, work: (file: ProjectFile) => Promise<T>): Promise<T> => {
    const file = await openProjectFile(root, path, await hooksFolders());
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  };
  return {
    read: (path) => within(path, async (file) => (await load(file))?.text ?? null),
    async change(path, edit) {
      const done = await alone(() => within(path, (file) => rewrite(file, edit)));
      if (done === null) throw pawlError(FILE_ERRORS, "FILE_BUSY", { path });
    },
  };
}

async function rewrite(file: ProjectFile, edit: (text: string | null) => string): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    const before = await load(file);
    const after = edit(before?.text ?? null);
    if (after === before?.text) return;
    const isSame = (await load(file))?.text === before?.text;
    if (isSame) return replaceFile(file.folder, file.name, Buffer.from(after), before?.mode ?? 0o644);
  }
  throw pawlError(FILE_ERRORS, "FILE_BUSY", { path: file.path });
}

interface Loaded {
  readonly text: string;
  readonly mode: number;
}

async function load(file: ProjectFile): Promise<Loaded | null> {
  const handle = await open(`${file.folder}/${file.name}`, READ).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path: file.path }, { cause: error });
  });
  if (handle === null) return null;
  try {
    const { size, mode } = await fileStat(handle, file.path);
    if (size > MOST_BYTES) throw pawlError(FILE_ERRORS, "FILE_TOO_LARGE", { path: file.path, maxBytes: MOST_BYTES });
    const bytes = await handle.readFile();
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    // Bytes that are no text would be lost when it is written back.
    if (!Buffer.from(text).equals(bytes)) throw pawlError(FILE_ERRORS, "FILE_NOT_TEXT", { path: file.path });
    return { text, mode: mode & 0o777 };
  } finally {
    await handle.close();
  }
}

async function fileStat(handle: Awaited<ReturnType<typeof open>>, path: string) {
  const found = await handle.stat();
  if (!found.isFile()) throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path });
  return found;
}
