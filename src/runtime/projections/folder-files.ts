/** Files below one folder, written so that nobody sees half of one and no link leads elsewhere. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";

export interface FolderFiles {
  /** Takes the place of the file. `path`: at most one folder deep. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** Adds lines to the end of a file, after a line that was torn. */
  append(path: string, lines: string): Promise<void>;
  /** Writes at this place of the file; `cut`: what stood there and after it goes first. */
  put(path: string, what: { readonly at: number; readonly bytes: Uint8Array; readonly cut: boolean }): Promise<void>;
  /** Empty: there is none. */
  read(path: string): Promise<string>;
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const WITHIN = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const MORE = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

export async function openFolderFiles(folder: string): Promise<FolderFiles> {
  const top = await realpath(folder);
  const placeOf = async (path: string): Promise<string> => {
    const [name = "", inner] = path.split("/");
    if (inner === undefined) return join(top, name);
    const below = join(top, name);
    await mkdir(below, { recursive: true });
    if (!(await lstat(below)).isDirectory()) throw new Error(`${below} is no folder: nothing is written there`);
    return join(below, inner);
  };
  return {
    async replace(path, content) {
      const place = await placeOf(path);
      const temporary = `${place}.${randomBytes(6).toString("hex")}.tmp`;
      try {
        const file = await open(temporary, NEW, 0o644);
        try {
          await file.writeFile(content);
        } finally {
          await file.close();
        }
        await rename(temporary, place);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async append(path, lines) {
      const file = await open(await placeOf(path), MORE, 0o644);
      try {
        const { size } = await file.stat();
        const last = Buffer.alloc(1);
        if (size > 0) await file.read(last, 0, 1, size - 1);
        await file.write(size > 0 && last[0] !== 10 ? `\n${lines}` : lines);
      } finally {
        await file.close();
      }
    },
    async put(path, { at, bytes, cut }) {
      const file = await open(await placeOf(path), WITHIN, 0o644);
      try {
        if (cut) await file.truncate(at);
        const { bytesWritten } = await file.write(bytes, 0, bytes.length, at);
        if (bytesWritten < bytes.length) throw new Error(`${path} was written only in part`);
      } finally {
        await file.close();
      }
    },
    read: async (path) => readFile(await placeOf(path), "utf8").catch(() => ""),
  };
}
