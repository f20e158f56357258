/** Gives the vault the objects of a repository as hard links: at once, whatever their size, and safe from its `git gc`. */
import { link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../failures.ts";
import { syncFolder } from "./durable.ts";

/** Then the objects must be copied. */
const CANNOT_LINK = new Set(["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP", "ENOSYS"]);
const PACK_FILE = /^(pack-[0-9a-f]{40,64})\.(pack|idx|rev)$/;
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE_FILE = /^[0-9a-f]{38,62}$/;
/** A repack under way takes packs away after it has put others in their place. */
const MOST_TRIES = 5;

/** false: not every object can be had this way; what was linked is left behind. */
export async function linkObjects(from: string, to: string): Promise<boolean> {
  const borrowed = await readFile(join(from, "info/alternates"), "utf8").catch(() => "");
  if (borrowed.trim() !== "") return false;
  try {
    // Loose objects first: a repack makes the pack before it removes them.
    for (const name of await readdir(from))
      if (LOOSE_FOLDER.test(name)) await linkLoose(join(from, name), join(to, name));
    for (let tries = 1; !(await linkPacks(join(from, "pack"), join(to, "pack"))); tries += 1)
      if (tries === MOST_TRIES) return false;
    await syncFolder(to);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has(errnoOf(error))) return false;
    throw error;
  }
}

async function linkLoose(from: string, to: string): Promise<void> {
  const names = (await readdir(from).catch(orGone)).filter((name) => LOOSE_FILE.test(name));
  if (names.length === 0) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of names) await link(join(from, name), join(to, name)).catch(orGone);
  await syncFolder(to);
}

/** false: a pack went away meanwhile. */
async function linkPacks(from: string, to: string): Promise<boolean> {
  const names = await readdir(from).catch(orGone);
  // An index is what makes a pack visible: it comes last.
  const files = names.filter((name) => PACK_FILE.test(name)).sort((a, b) => rank(a) - rank(b));
  let isWhole = true;
  for (const name of files) {
    await link(join(from, name), join(to, name)).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") isWhole = false;
      else if (errnoOf(error) !== "EEXIST") throw error;
    });
    // As long as the repository has the same pack, packing it anew would only cost space.
    if (name.endsWith(".pack")) await writeFile(join(to, name.replace(/pack$/, "keep")), "");
  }
  await syncFolder(to);
  return isWhole;
}

function rank(name: string): number {
  return name.endsWith(".idx") ? 1 : 0;
}

function orGone(error: unknown): never[] {
  if (errnoOf(error) === "ENOENT" || errnoOf(error) === "EEXIST") return [];
  throw error;
}
