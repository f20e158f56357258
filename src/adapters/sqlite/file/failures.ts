/** Turns what SQLite and the file system throw into the errors of the journal. */
import { isPawlError, pawlError } from "../../../base/errors.ts";
import { formatInstant } from "../../../base/text/instant.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import { writerOf } from "./writer-of.ts";

/** Primary result codes of SQLite. The first says nothing without its words. */
const GENERIC = 1;
export const BUSY = 5;
const LOCKED = 6;
export const READONLY = 8;
const IOERR = 10;
export const CORRUPT = 11;
const FULL = 13;
export const CANTOPEN = 14;
export const CONSTRAINT = 19;
export const NOTADB = 26;

/** What SQLite says for a code. Some errors of a driver carry the words alone. */
const WORDS: readonly (readonly [words: string, code: number])[] = [
  // Ours are made together: where one is not as it was made, its page is damaged.
  ["no such table", CORRUPT],
  ["no such column", CORRUPT],
  ["has no column named", CORRUPT],
  ["already exists", CORRUPT],
  ["database is locked", BUSY],
  ["database table is locked", LOCKED],
  ["attempt to write a readonly database", READONLY],
  ["disk I/O error", IOERR],
  ["database disk image is malformed", CORRUPT],
  ["database or disk is full", FULL],
  ["unable to open database file", CANTOPEN],
  ["constraint failed", CONSTRAINT],
  ["file is not a database", NOTADB],
];

/** The primary result code, or undefined when the error is not a known one of SQLite. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number" && error.errcode !== GENERIC) return error.errcode & 0xff;
  if (!("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  return WORDS.find(([words]) => error.message.includes(words))?.[1];
}

/** The error to show for `error`. A defect, which is neither SQLite's nor the file system's, is returned as it is. */
export function storeFailure(error: unknown, file: string): unknown {
  if (isPawlError(error) || !(error instanceof Error)) return error;
  const detail = error.message;
  const code = sqliteCode(error) ?? ("code" in error ? error.code : undefined);
  switch (code) {
    case FULL:
    case "ENOSPC":
    case "EDQUOT":
      return pawlError(JOURNAL_ERRORS, "JOURNAL_DISK_FULL", { file }, { cause: error });
    case READONLY:
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return pawlError(JOURNAL_ERRORS, "JOURNAL_READ_ONLY", { file }, { cause: error });
    case CORRUPT:
    case NOTADB:
      return pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail }, { cause: error });
    case BUSY:
    case LOCKED:
      return busy(file, error);
    default:
      return isFailure(code) ? pawlError(JOURNAL_ERRORS, "JOURNAL_IO", { file, detail }, { cause: error }) : error;
  }
}

function busy(file: string, cause: Error): Error {
  const found = writerOf(file);
  const writer = found && { pid: found.pid, since: formatInstant(found.since), isStopped: found.isStopped };
  return pawlError(JOURNAL_ERRORS, "JOURNAL_BUSY", { file, writer }, { cause });
}

function isFailure(code: unknown): boolean {
  return code === IOERR || code === CANTOPEN || (typeof code === "string" && /^E[A-Z0-9]+$/.test(code));
}
