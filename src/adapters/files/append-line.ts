/**
 * Adds a line to a file once per key. Each line is stored with its key as one JSON record, `{"key":…,"line":…}`, so
 * the file itself says what was done: no second file can disagree with it.
 *
 *   killed before the write      → no record: the next attempt writes it
 *   killed inside the write      → the beginning of a record at the end: the next attempt writes the rest of it
 *   killed after the write       → a whole record: the next attempt finds it and writes nothing
 *
 * Records are written at the end whoever else writes there, so several processes may add to the same file.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { pawlError } from "../../base/errors.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import { syncFolder, writeAll } from "./durable.ts";
import type { ProjectFile } from "./project-folder.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
/** A record that another process is writing right now looks like one whose writer was killed: give it time. */
const UNDER_WAY_MS = 250;
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface Appended {
  /** Size of the record. */
  readonly bytes: number;
}

export async function appendLine(file: ProjectFile, key: string, line: string): Promise<Appended> {
  const path = `${file.folder}/${file.name}`;
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path: file.path });
  const handle = await open(path, APPEND, 0o644);
  try {
    const start = `{"key":${JSON.stringify(key)},"line":`;
    const record = Buffer.from(`${start}${JSON.stringify(line)}}\n`);
    const content = await readSettled(handle, file.path);
    if (!hasRecord(content, Buffer.from(start))) await writeAll(handle, missingPart(content, record));
    // Also when the record was there: its writer may have been killed before it was on disk.
    await handle.sync();
    await syncFolder(file.folder);
    return { bytes: record.length };
  } finally {
    await handle.close();
  }
}

async function readSettled(handle: FileHandle, path: string): Promise<Buffer> {
  for (;;) {
    const { size, mtimeMs } = await handle.stat();
    if (size > MAX_BYTES) throw pawlError(FILE_ERRORS, "FILE_TOO_LARGE", { path, maxBytes: MAX_BYTES });
    const content = Buffer.alloc(size);
    let read = 0;
    while (read < size) {
      const { bytesRead } = await handle.read(content, read, size - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    const whole = content.subarray(0, read);
    const age = Date.now() - mtimeMs;
    if (read === 0 || whole[read - 1] === NEWLINE || Math.abs(age) > UNDER_WAY_MS) return whole;
    await wait(UNDER_WAY_MS - age + 1);
  }
}

/** Whether a complete line begins so. */
function hasRecord(content: Buffer, start: Buffer): boolean {
  for (let at = content.indexOf(start); at !== -1; at = content.indexOf(start, at + 1)) {
    if ((at === 0 || content[at - 1] === NEWLINE) && content.indexOf(NEWLINE, at) !== -1) return true;
  }
  return false;
}

/** What is still to be written, given what stands after the last line end. */
function missingPart(content: Buffer, record: Buffer): Buffer {
  const torn = content.subarray(content.lastIndexOf(NEWLINE) + 1);
  if (torn.equals(record.subarray(0, torn.length))) return record.subarray(torn.length);
  return Buffer.concat([Buffer.from("\n"), record]);
}
