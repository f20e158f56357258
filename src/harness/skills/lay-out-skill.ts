/** The files of a skill as they were read, in a folder named after their digest: this is what runs, whatever became of the source. */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readSkillFolder } from "./read-skill-folder.ts";
import type { Skill } from "./skill.ts";

/** Where it is now. The same skill is laid out once, and again where what lies there is something else. */
export async function layOutSkill(dir: string, { digest, files }: Pick<Skill, "digest" | "files">): Promise<string> {
  const place = join(dir, digest);
  if (await holds(place, files)) return place;
  const draft = join(dir, `.tmp-${digest}-${randomBytes(6).toString("hex")}`);
  try {
    for (const { path, bytes } of files) {
      const file = join(draft, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, bytes, { mode: 0o500, flag: "wx" });
    }
    await rename(draft, place).catch(() => replace(draft, place, files));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else has just done the same.
    if (!(await holds(place, files))) throw error;
  }
  return place;
}

async function replace(draft: string, place: string, files: Skill["files"]): Promise<void> {
  if (await holds(place, files)) throw new Error("it lies there already");
  await rm(place, { recursive: true, force: true });
  await rename(draft, place);
}

/** These files, byte for byte, and no other: a power cut or a stranger may have made something else of them. */
async function holds(place: string, files: Skill["files"]): Promise<boolean> {
  const read = await readSkillFolder(place);
  if ("unfit" in read || read.files.length !== files.length) return false;
  const found = new Map(read.files.map(({ path, bytes }) => [path, bytes]));
  return files.every(({ path, bytes }) => {
    const there = found.get(path);
    return there !== undefined && Buffer.compare(there, bytes) === 0;
  });
}
