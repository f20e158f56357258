/** Where a store keeps what it keeps, and how it is to be opened. */
import { statSync } from "node:fs";
import { join } from "node:path";

export interface StateFiles {
  readonly dir: string;
  /** The database; SQLite keeps -wal and -shm beside it. */
  readonly file: string;
  /** Where each process that writes to it holds its lock. */
  readonly hosts: string;
}

export interface OpenChoice {
  readonly readOnly: boolean;
  readonly acceptLoss: boolean;
}

export function stateFiles(dir: string): StateFiles {
  return { dir, file: join(dir, "pawl.db"), hosts: join(dir, "hosts") };
}

/** Of the store of loops, which stands beside the journal. */
export function loopFiles(dir: string): StateFiles {
  return { dir, file: join(dir, "loops.db"), hosts: join(dir, "workers") };
}

/** 0 when there is no such file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
