/**
 * Call records as lines of one small file for each grant, synced before anything relies on them. Whoever appends while a sync
 * is under way shares the next one.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { CallRecord, CallRecords } from "../../ports/models/call-records.ts";
import { syncFolder, writeAll } from "./durable.ts";

export interface FileCallRecordsOptions {
  readonly dir: string;
}

interface OpenFile {
  readonly handle: Promise<FileHandle>;
  pending: string;
  /** The sync that will take what is pending. */
  next: Promise<void> | null;
  last: Promise<void>;
}

const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

export function createFileCallRecords({ dir }: FileCallRecordsOptions): CallRecords {
  const files = new Map<string, OpenFile>();
  const pathOf = (of: string): string => join(dir, `${sha256(of).slice(0, 32)}.jsonl`);
  const openFile = async (of: string): Promise<FileHandle> => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const handle = await open(pathOf(of), APPEND, 0o600);
    await syncFolder(dir);
    return handle;
  };
  const flush = async (file: OpenFile): Promise<void> => {
    await file.last.catch(() => undefined);
    const text = file.pending;
    file.pending = "";
    file.next = null;
    const handle = await file.handle;
    await writeAll(handle, Buffer.from(text));
    await handle.datasync();
  };
  return {
    append(of, record) {
      const file = files.get(of) ?? { handle: openFile(of), pending: "", next: null, last: Promise.resolve() };
      files.set(of, file);
      file.pending += `${JSON.stringify(record)}\n`;
      if (file.next === null) {
        file.next = flush(file);
        file.last = file.next;
      }
      return file.next;
    },
    async read(of) {
      const text = await readFile(pathOf(of), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return "";
        throw error;
      });
      // What stands behind the last line end was not whole when its writer died.
      const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as CallRecord);
    },
    async forget(of) {
      const file = files.get(of);
      files.delete(of);
      await file?.last.catch(() => undefined);
      await (await file?.handle.catch(() => undefined))?.close();
      await rm(pathOf(of), { force: true });
    },
  };
}
