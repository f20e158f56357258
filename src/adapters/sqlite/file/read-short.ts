/** Reads a small file of ours. Something else may lie under its name: what is no file, or never ends, holds nobody up. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const MOST_BYTES = 4096;

/** At most one byte more than any of ours has. Throws what the file system says, ENOENT among it. */
export function readShort(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: "EINVAL" });
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
