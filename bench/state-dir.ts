/** State directories of the bench: each measured process gets a fresh one on a real disk. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadDriver } from "./systems/sqlite-driver.ts";

/** Gives `work` a fresh directory and removes it afterwards, however `work` ended. */
export async function withStateDir<T>(parent: string, name: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(parent, `pawl-bench-${name}-`));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Sum of the sizes of all files below `dir`, after what SQLite keeps in write-ahead logs was moved to the databases. */
export async function bytesStored(dir: string): Promise<number> {
  const { module } = await loadDriver();
  const files = (): string[] =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files().filter((name) => name.endsWith(".db"))) {
    const db = new module.DatabaseSync(file);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
  }
  let total = 0;
  for (const file of files()) total += statSync(file).size;
  return total;
}
