/** References of the vault. They are files of ours alone, written so that they never name an object that is not durable. */
import { link, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "../failures.ts";
import { isObjectId } from "./commit.ts";
import { randomName, syncFolder, writeDurable } from "./durable.ts";

export interface Refs {
  /** null: there is no such reference. */
  read(name: string): Promise<string | null>;
  /** Writes the text of a reference beside its place; `put` or `putNext` gives it its name. */
  prepare(id: string): Promise<PreparedRef>;
}

export interface PreparedRef {
  put(name: string): Promise<void>;
  /** Gives it the next free number below `folder`. */
  putNext(folder: string): Promise<string>;
  drop(): Promise<void>;
}

/** `temp` is on the same disk as the vault. */
export function createRefs(vault: string, temp: string): Refs {
  const pathOf = (name: string): string => join(vault, name);

  const folderOf = async (path: string): Promise<string> => {
    const folder = dirname(path);
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; first !== undefined && made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made));
    return folder;
  };

  return {
    async read(name) {
      const text = await readFile(pathOf(name), "latin1").catch(() => "");
      return isObjectId(text.trim()) ? text.trim() : null;
    },
    async prepare(id) {
      const file = join(temp, `ref-${randomName()}`);
      await writeDurable(file, `${id}\n`, 0o600);
      return {
        async put(name) {
          const folder = await folderOf(pathOf(name));
          await rename(file, pathOf(name));
          await syncFolder(folder);
        },
        async putNext(name) {
          const folder = await folderOf(join(pathOf(name), "1"));
          const last = Math.max(0, ...(await readdir(folder)).map(Number).filter(Number.isInteger));
          for (let next = last + 1; ; next += 1) {
            try {
              await link(file, join(folder, String(next)));
              await Promise.all([rm(file), syncFolder(folder)]);
              return `${name}/${next}`;
            } catch (error) {
              if (errnoOf(error) !== "EEXIST") throw error;
            }
          }
        },
        drop: () => rm(file, { force: true }),
      };
    },
  };
}
