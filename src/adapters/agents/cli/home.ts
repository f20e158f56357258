/**
 * The home of an agent: of one stage alone, the same in all its attempts, so that sessions can be gone on with. Whatever else an
 * earlier attempt has left there goes before the next one begins: a rule or a plugin that an agent has written for itself never
 * counts. Settings lie outside it and are shown in their places, where nothing behind the wall can change them.
 */
import type { Dirent } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { BEHIND, type Mount } from "../../../ports/sandbox.ts";

export interface HomeSpec {
  /** What of it outlives an attempt: paths from the home, of folders or files that hold sessions. */
  readonly kept: readonly string[];
  /** Settings: path from the home → text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Puts it in order. Returns the mounts that show it behind the wall. */
export async function prepareHome(folder: string, { kept, files }: HomeSpec): Promise<readonly Mount[]> {
  const own = join(folder, "own");
  const given = join(folder, "given");
  await rm(given, { recursive: true, force: true });
  await mkdir(given, { recursive: true, mode: 0o700 });
  await mkdir(own, { recursive: true, mode: 0o700 });
  await sweep(
    own,
    kept.map((path) => path.split("/")),
  );
  const mounts: Mount[] = [{ from: own, to: BEHIND.home, access: "write" }];
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    const from = join(given, String(index));
    await writeFile(from, text, { mode: 0o600 });
    mounts.push({ from, to: posix.join(BEHIND.home, path), access: "read" });
  }
  return mounts;
}

/** Removes all but what is kept. A link is never followed: where there should be a folder on the way, it goes too. */
async function sweep(folder: string, kept: readonly (readonly string[])[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const rest = kept.filter(([first]) => first === entry.name).map(([, ...others]) => others);
    const path = join(folder, entry.name);
    if (rest.some((others) => others.length === 0) && isPlain(entry)) continue;
    if (rest.length > 0 && entry.isDirectory()) await sweep(path, rest);
    else await rm(path, { recursive: true, force: true });
  }
}

function isPlain(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isFile();
}
