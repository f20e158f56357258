/** What a process of the simulated world does besides its work: it lays hands on files that decide how it is judged. */
import type { Files } from "../../src/adapters/memory/workspaces.ts";
import type { Chance } from "./random.ts";

/** What every run starts from. */
export const PROJECT: Readonly<Record<string, string>> = {
  "src/a.ts": "base",
  "test/a.test.ts": "base",
  "test/b.test.ts": "base",
  "package.json": "base",
  "data/golden": "base",
};

/** Protected in every plan with a gate; the last one where its author says so. */
export const SHIELDED: readonly string[] = ["test/a.test.ts", "test/b.test.ts", "test/new.test.ts", "package.json"];
export const OWN_SHIELD = "data/**";
export const OWN_SHIELDED = "data/golden";

/** Changes, deletes or adds some of them. Sometimes a file stands where a folder was. */
export function tamper(dice: Chance, files: Files, mark: string): void {
  for (const path of [...SHIELDED, OWN_SHIELDED, "src/a.ts"]) {
    if (!dice.hit(0.3)) continue;
    if (dice.hit(0.3)) files.delete(path);
    else files.set(path, mark);
  }
}

/** Everything that a folder or a tree holds, as one text. */
export function contentOf(files: ReadonlyMap<string, string> | undefined): string | null {
  return files === undefined ? null : JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
