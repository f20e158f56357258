/** Where a store keeps what it keeps, and how it is to be opened. */
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { sharedFolder } from "../../../base/net/file-systems.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";

export interface StateFiles {
  readonly dir: string;
  /** The database; SQLite keeps -wal and -shm beside it. */
  readonly file: string;
  /** Where each process that writes to it holds its lock. */
  readonly hosts: string;
  /** Where its id is noted outside it; null: nobody misses it when it is gone. */
  readonly id: string | null;
}

/** "Pawl" in ASCII: stands in the header of every journal. */
export const JOURNAL_APPLICATION = 0x5061776c;
/** The same for the store of loops. */
export const LOOPS_APPLICATION = 0x50776c70;
/** What is wrong with a database that has neither. */
export const FOREIGN = "it is a database of another program";

export interface OpenChoice {
  readonly readOnly: boolean;
  readonly acceptLoss: boolean;
  /** What the system says of a folder, if not itself. */
  readonly fileSystem?: FileSystem;
  /** What beside the store tells of earlier runs; null: nothing does. */
  readonly traces?: () => string | null;
}

/** The number of the file system that a folder lies on. */
export type FileSystem = (dir: string) => number;

/** A lock that another machine does not see is none. Throws JOURNAL_FOLDER_REMOTE. */
export function refuseRemote(dir: string, fileSystem: FileSystem = (path) => statfsSync(path).type): void {
  const shared = sharedFolder(fileSystem(dir));
  if (shared?.isCertain === true) throw pawlError(JOURNAL_ERRORS, "JOURNAL_FOLDER_REMOTE", { dir, kind: shared.name });
}

export function stateFiles(dir: string): StateFiles {
  return { dir, file: join(dir, "pawl.db"), hosts: join(dir, "hosts"), id: join(dir, "ids/pawl.db") };
}

/** Of the store of loops, which stands beside the journal. */
export function loopFiles(dir: string): StateFiles {
  return { dir, file: join(dir, "loops.db"), hosts: join(dir, "workers"), id: join(dir, "ids/loops.db") };
}

export function fileSystemIn({ fileSystem }: Pick<OpenChoice, "fileSystem">): Pick<OpenChoice, "fileSystem"> {
  return fileSystem === undefined ? {} : { fileSystem };
}

/** SQLite takes a file of one byte for an empty one. */
export function isBlank(path: string): boolean {
  return sizeOf(path) <= 1;
}

/** 0 when there is no such file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
