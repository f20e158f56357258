/** Writes that survive a power cut: bytes are synced before they get their name, the name before anyone relies on it. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";

export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Opens a new file that only this call can know. */
export async function openTemporary(folder: string, mode: number): Promise<{ handle: FileHandle; path: string }> {
  const path = `${folder}/.tmp-${process.pid}-${randomBytes(8).toString("hex")}`;
  return { handle: await open(path, NEW_FILE, mode), path };
}

/**
 * Puts these bytes in place of the file, durably. A crash at any instant leaves the old file or the new one, never a part. `ready` comes before the
 * new one takes its place.
 */
export async function replaceFile(
  folder: string,
  name: string,
  bytes: Uint8Array,
  mode: number,
  ready: (file: FileHandle) => Promise<void> = async () => undefined,
): Promise<void> {
  const { handle, path } = await openTemporary(folder, mode);
  try {
    try {
      await writeAll(handle, bytes);
      await handle.sync();
      await ready(handle);
    } finally {
      await handle.close();
    }
    await rename(path, `${folder}/${name}`);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Writes every byte, however many calls it takes. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten;
}
