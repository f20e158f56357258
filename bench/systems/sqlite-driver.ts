/** The SQLite driver of the raw limits: the one built into Node where it is stable, else the same API from a package. */
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

interface DriverModule {
  readonly DatabaseSync: new (file: string) => DatabaseSyncInstance;
}

export async function loadDriver(): Promise<{ readonly name: string; readonly module: DriverModule }> {
  const major = Number(process.versions.node.split(".")[0]);
  const name = major >= 24 ? "node:sqlite" : "@photostructure/sqlite";
  const module: DriverModule = await import(name);
  return { name, module };
}
