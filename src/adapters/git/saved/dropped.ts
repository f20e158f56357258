/**
 * What was dropped on purpose, so that a tree that is not there can be told from one that was lost.
 *
 *   pawl/dropped/<first two letters>   the ids of commits whose names were removed, a line each
 */
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../vault/durable.ts";

const LETTERS = 2;

/** Durable when it resolves: only then may the names go. */
export async function recordDropped(vault: string, commits: Iterable<string>): Promise<void> {
  const byFile = new Map<string, string[]>();
  for (const commit of commits) {
    const name = commit.slice(0, LETTERS);
    byFile.set(name, [...(byFile.get(name) ?? []), commit]);
  }
  if (byFile.size === 0) return;
  const folder = folderIn(vault);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncFolder(join(vault, "pawl"));
  for (const [name, ids] of byFile) {
    const file = await open(join(folder, name), "a", 0o600);
    try {
      // A line that a crash has cut off must not become part of this one.
      await file.writeFile(`\n${ids.join("\n")}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(folder);
}

export async function wasDropped(vault: string, commit: string): Promise<boolean> {
  const text = await readFile(join(folderIn(vault), commit.slice(0, LETTERS)), "latin1").catch(() => "");
  return text.includes(`\n${commit}\n`);
}

function folderIn(vault: string): string {
  return join(vault, "pawl/dropped");
}
