/** The vault itself must know where each history ends that a base has cut off: git on the host looks no further. */
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomName, syncFolder, writeDurable } from "./durable.ts";

type ListBases = () => Promise<readonly string[]>;

/** `shallow`: that of a base which is in its place; null: its history is whole. */
export async function noteShallow(vault: string, shallow: string | null, list: ListBases): Promise<void> {
  if (shallow === null) return;
  const noted = new Set(await linesIn(join(vault, "shallow")));
  if (!(await linesIn(shallow)).every((line) => noted.has(line))) await writeShallow(vault, list);
}

/** Of two at a time the later one has seen the bases of both, because each looks again after it has written. */
export async function writeShallow(vault: string, list: ListBases): Promise<void> {
  const file = join(vault, "shallow");
  for (let last = "none yet", bases = await list(); bases.join() !== last; bases = await list()) {
    last = bases.join();
    const ends = new Set<string>();
    for (const commit of bases)
      for (const line of await linesIn(join(vault, "pawl/bases", commit, "shallow"))) ends.add(line);
    if (ends.size === 0) await rm(file, { force: true });
    else {
      const written = join(vault, "pawl/temp", `shallow-${randomName()}`);
      await writeDurable(written, [...ends, ""].join("\n"), 0o600);
      await rename(written, file);
    }
  }
  await syncFolder(vault);
}

async function linesIn(path: string): Promise<string[]> {
  const text = await readFile(path, "latin1").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
