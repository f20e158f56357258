/** Refuses a state directory whose stores are lost, cut off or of another program, before anything of it is opened: a look at two files, and at their first bytes. */
import { closeSync, openSync, readSync } from "node:fs";
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import { storeFailure } from "../file/failures.ts";
import {
  FOREIGN,
  isBlank,
  JOURNAL_APPLICATION,
  LOOPS_APPLICATION,
  loopFiles,
  type StateFiles,
  sizeOf,
  stateFiles,
} from "../file/state-files.ts";
import { blankness, readBeside, refuseBlank } from "./store-id.ts";

const HEADER_BYTES = 100;
/** With the head of the first page, which says how many tables there are. */
const LOOK_BYTES = 108;
const PAGE_WITHOUT_CHILDREN = 13;
const MAGIC = "SQLite format 3\0";

/** Throws JOURNAL_LOST, LOOPS_LOST or JOURNAL_CORRUPT. `traces`: what beside the journal tells of earlier runs. */
export function requireStores(
  dir: string,
  traces: () => string | null,
  which: readonly ("journal" | "loops")[] = ["journal", "loops"],
): void {
  if (which.includes("journal")) requireStore(stateFiles(dir), JOURNAL_APPLICATION, traces);
  if (which.includes("loops")) requireStore(loopFiles(dir), LOOPS_APPLICATION, () => null);
}

function requireStore(files: StateFiles, applicationId: number, traces: () => string | null): void {
  try {
    const beside = readBeside(files, traces);
    if (isBlank(files.file)) refuseBlank(files, blankness(files), beside);
    else requireWhole(files.file, applicationId);
  } catch (error) {
    throw storeFailure(error, files.file);
  }
}

const LOOKS = 3;

/** Between two reads of one look another process may fill a -wal and move it into the file: the next look sees that. */
function requireWhole(file: string, applicationId: number): void {
  let problem: string | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    problem = wholeProblem(file, applicationId);
    if (problem === null) return;
  }
  if (problem !== null) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail: problem });
}

/** The header says how many pages there are. It lags behind while there is a -wal, and only then. */
function wholeProblem(file: string, applicationId: number): string | null {
  const header = headerOf(file);
  const isForeign = header.length === LOOK_BYTES && !isOurs(header, applicationId);
  if (sizeOf(`${file}-wal`) > 0) return isForeign ? FOREIGN : null;
  if (header.length < HEADER_BYTES) return `only ${header.length} bytes of it are left`;
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a database";
  if (isForeign) return FOREIGN;
  const stored = header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  // An old writer leaves no count that holds.
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return null;
  const [bytes, wanted] = [sizeOf(file), pages * (stored === 1 ? 65_536 : stored)];
  return bytes < wanted ? `it is cut off: ${bytes} of ${wanted} bytes are left` : null;
}

/** A new database holds nothing yet, and one whose first tables are still in the -wal looks the same. */
function isOurs(header: Buffer, applicationId: number): boolean {
  const [version, application] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  if (application === applicationId) return true;
  const holdsNothing = header[100] === PAGE_WITHOUT_CHILDREN && header.readUInt16BE(103) === 0;
  return application === 0 && version === 0 && holdsNothing;
}

function headerOf(file: string): Buffer {
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(LOOK_BYTES);
    return bytes.subarray(0, readSync(handle, bytes, 0, LOOK_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}
