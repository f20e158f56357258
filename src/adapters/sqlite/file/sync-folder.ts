import { closeSync, constants, fsyncSync, openSync } from "node:fs";

/** Makes durable which names a folder holds: a new, renamed or removed file survives a power cut only after this. */
export function syncFolder(dir: string): void {
  const folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
