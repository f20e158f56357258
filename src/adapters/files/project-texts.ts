/** Texts of the project that people and loops share: read whole, and replaced whole with every byte that nobody meant to change. */
import { constants, type Stats } from "node:fs";
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
  /** Hears of each file that is about to be replaced, as it stands (null: it is not there) and as it will. */
  readonly onWrite?: (path: string, was: Stats | null, is: Stats) => Promise<void>;
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

export function createProjectTexts(options: ProjectTextsOptions): ProjectTexts {
  const { root, hooksFolders, alone, onWrite = async () => undefined } = options;
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
      const told: Written = (was, is) => onWrite(path, was, is);
      const done = await alone(() => within(path, (file) => rewrite(file, edit, told)));
      if (done === null) throw pawlError(FILE_ERRORS, "FILE_BUSY", { path });
    },
  };
}

type Written = (was: Stats | null, is: Stats) => Promise<void>;

async function rewrite(file: ProjectFile, edit: (text: string | null) => string, onWrite: Written): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    const before = await load(file);
    const after = edit(before?.text ?? null);
    if (after === before?.text) return;
    const now = await load(file);
    const mode = (now?.stats.mode ?? 0o644) & 0o777;
    if (now?.text !== before?.text) continue;
    return replaceFile(file.folder, file.name, Buffer.from(after), mode, async (written) =>
      onWrite(now?.stats ?? null, await written.stat()),
    );
  }
  throw pawlError(FILE_ERRORS, "FILE_BUSY", { path: file.path });
}

interface Loaded {
  readonly text: string;
  readonly stats: Stats;
}

async function load(file: ProjectFile): Promise<Loaded | null> {
  const handle = await open(`${file.folder}/${file.name}`, READ).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path: file.path }, { cause: error });
  });
  if (handle === null) return null;
  try {
    const stats = await fileStat(handle, file.path);
    if (stats.size > MOST_BYTES)
      throw pawlError(FILE_ERRORS, "FILE_TOO_LARGE", { path: file.path, maxBytes: MOST_BYTES });
    const bytes = await handle.readFile();
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    // Bytes that are no text would be lost when it is written back.
    if (!Buffer.from(text).equals(bytes)) throw pawlError(FILE_ERRORS, "FILE_NOT_TEXT", { path: file.path });
    return { text, stats };
  } finally {
    await handle.close();
  }
}

async function fileStat(handle: Awaited<ReturnType<typeof open>>, path: string): Promise<Stats> {
  const found = await handle.stat();
  if (!found.isFile()) throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path });
  return found;
}
