/** The SQLite driver of the raw limits: the one built into Node where it is stable, else the same API from a package. */
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

interface DriverModule {
  readonly DatabaseSync: new (file: string) => DatabaseSyncInstance;
}

export function driverName(): string {
  return Number(process.versions.node.split(".")[0]) >= 24 ? "node:sqlite" : "@photostructure/sqlite";
}

export async function loadDriver(): Promise<{ readonly name: string; readonly module: DriverModule }> {
  const name = driverName();
  const module: DriverModule = await import(name);
  return { name, module };
}
