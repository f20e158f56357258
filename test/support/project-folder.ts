/** A project folder with the files of a test, removed when the test is over. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "./temp-dir.ts";

export function projectFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = tempDir();
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return root;
}

/** Every path below the folder, folders included. */
export function pathsBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
}

/** A named pipe: whoever opens it to read waits for a writer. */
export function makePipe(path: string): void {
  const made = spawnSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
  if (made.status !== 0) throw new Error(`no pipe could be made: ${made.stderr}`);
}

/** A whole blueprint of that name that allows `true`. */
export function blueprintText(name: string, rest: string): string {
  return `version: 1\nname: ${name}\npolicy: { allow: [{ run: ["true", "**"] }] }\n${rest}workspace: directory\n`;
}

export const ONE_STAGE = 'stages:\n  - { id: a, command: ["true"], effect: idempotent }\n';
