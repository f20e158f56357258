/** What lies at a path of a working tree. No link is followed, neither at its end nor on the way. */
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";

export type Spot =
  | { readonly is: "nothing" }
  /** Something on the way is no folder; `by`: its path. */
  | { readonly is: "blocked"; readonly by: string }
  | { readonly is: "folder" | "link" | "other" }
  | { readonly is: "file"; readonly isExecutable: boolean };

/** `path`: bytes, one character each. */
export function placeAt(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

export async function lookAt(folder: string, path: string): Promise<Spot> {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth += 1) {
    const by = parts.slice(0, depth).join("/");
    const found = await statAt(folder, by);
    if (found === null) return { is: "nothing" };
    if (!found.isDirectory()) return { is: "blocked", by };
  }
  const found = await statAt(folder, path);
  if (found === null) return { is: "nothing" };
  if (found.isDirectory()) return { is: "folder" };
  if (found.isSymbolicLink()) return { is: "link" };
  return found.isFile() ? { is: "file", isExecutable: (found.mode & 0o100) !== 0 } : { is: "other" };
}

/** What a file holds, or where a link leads; null: neither is there. */
export async function bytesAt(folder: string, path: string, { is }: Spot): Promise<Buffer | null> {
  const place = placeAt(folder, path);
  if (is === "link") return readlink(place, { encoding: "buffer" });
  if (is !== "file") return null;
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function statAt(folder: string, path: string) {
  return lstat(placeAt(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}
