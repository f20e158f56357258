/** The one SQLite surface: `node:sqlite` where it is stable (Node 24 and later), else a package with the same API. Loaded on first use. */

export type SqlValue = null | number | string | Uint8Array;

export interface Statement<Row> {
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): Iterable<Row>;
}

export interface Database {
  exec(sql: string): void;
  prepare<Row = unknown>(sql: string): Statement<Row>;
  close(): void;
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
}

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  /** How long a statement waits for a lock, in milliseconds. It waits without giving way to anything else. */
  readonly timeout: number;
}

export interface Driver {
  open(path: string | URL, options: DatabaseOptions): Database;
}

type SqliteModule = { readonly DatabaseSync: new (path: string | URL, options: DatabaseOptions) => Database };

const BUILT_IN_SINCE = 24;

export async function loadDriver(): Promise<Driver> {
  const builtIn = Number.parseInt(process.versions.node, 10) >= BUILT_IN_SINCE;
  const loaded: unknown = builtIn ? process.getBuiltinModule("node:sqlite") : await import("@photostructure/sqlite");
  const { DatabaseSync } = loaded as SqliteModule;
  return { open: (path, options) => new DatabaseSync(path, options) };
}
