/** A folder for PATH that holds agents under the names that people call them by. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../../temp-dir.ts";

/** To be called inside a test. `programs`: name → file. */
export function pathWith(programs: Readonly<Record<string, string>>): string {
  const folder = join(tempDir(), "bin");
  mkdirSync(folder);
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, join(folder, name));
  return folder;
}
