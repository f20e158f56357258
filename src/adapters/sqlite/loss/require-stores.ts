/** Refuses a state directory whose stores are lost or cut off, before anything of it is opened: a look at two files, and at their first bytes. */
import { closeSync, openSync, readSync } from "node:fs";
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import { storeFailure } from "../file/failures.ts";
import { isBlank, loopFiles, type StateFiles, sizeOf, stateFiles } from "../file/state-files.ts";
import { blankness, readBeside, refuseBlank } from "./store-id.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** Throws JOURNAL_LOST, LOOPS_LOST or JOURNAL_CORRUPT. `traces`: what beside the journal tells of earlier runs. */
export function requireStores(
  dir: string,
  traces: () => string | null,
  which: readonly ("journal" | "loops")[] = ["journal", "loops"],
): void {
  if (which.includes("journal")) requireStore(stateFiles(dir), traces);
  if (which.includes("loops")) requireStore(loopFiles(dir), () => null);
}

function requireStore(files: StateFiles, traces: () => string | null): void {
  try {
    const beside = readBeside(files, traces);
    if (isBlank(files.file)) refuseBlank(files, blankness(files), beside);
    else requireWhole(files.file);
  } catch (error) {
    throw storeFailure(error, files.file);
  }
}

const LOOKS = 3;

/** Between two reads of one look another process may fill a -wal and move it into the file: the next look sees that. */
function requireWhole(file: string): void {
  let problem: string | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    problem = wholeProblem(file);
    if (problem === null) return;
  }
  if (problem !== null) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail: problem });
}

/** The header says how many pages there are. It lags behind while there is a -wal, and only then. */
function wholeProblem(file: string): string | null {
  if (sizeOf(`${file}-wal`) > 0) return null;
  const header = headerOf(file);
  if (header.length < HEADER_BYTES) return `only ${header.length} bytes of it are left`;
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a database";
  const stored = header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  // An old writer leaves no count that holds.
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return null;
  const [bytes, wanted] = [sizeOf(file), pages * (stored === 1 ? 65_536 : stored)];
  return bytes < wanted ? `it is cut off: ${bytes} of ${wanted} bytes are left` : null;
}

function headerOf(file: string): Buffer {
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    return bytes.subarray(0, readSync(handle, bytes, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}
