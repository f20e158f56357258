/** The files of a skill as they were read, in a folder named after their digest: this is what runs, whatever became of the source. */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Skill } from "./skill.ts";

/** Where it is now. The same skill is laid out once. */
export async function layOutSkill(dir: string, { digest, files }: Pick<Skill, "digest" | "files">): Promise<string> {
  const place = join(dir, digest);
  if ((await stat(place).catch(() => null)) !== null) return place;
  const draft = join(dir, `.tmp-${digest}-${randomBytes(6).toString("hex")}`);
  try {
    for (const { path, bytes } of files) {
      const file = join(draft, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, bytes, { mode: 0o500, flag: "wx" });
    }
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else has just done the same.
    if ((await stat(place).catch(() => null)) === null) throw error;
  }
  return place;
}
