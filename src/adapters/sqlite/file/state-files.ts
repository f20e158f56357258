/** Where a store keeps what it keeps, and how it is to be opened. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

export interface StateFiles {
  readonly dir: string;
  /** The journal; SQLite keeps -wal and -shm beside it. */
  readonly file: string;
  readonly hosts: string;
}

export interface OpenChoice {
  readonly readOnly: boolean;
  readonly acceptLoss: boolean;
}

export function stateFiles(dir: string): StateFiles {
  return { dir, file: join(dir, "pawl.db"), hosts: join(dir, "hosts") };
}

/** 0 when there is no such file. */
export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
