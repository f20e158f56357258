/** The order of writes, syncs and acknowledgements of a writer, as its system calls show it. Needs strace, but no root. */
import { execFile, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Work } from "./power-cut.ts";

export interface TraceOptions {
  readonly work: Work;
  readonly sync: "full" | "normal";
  /** The writer ends after so many events. */
  readonly most: number;
}

export interface TraceReport {
  readonly acknowledgements: number;
  /** Acknowledgements while bytes of the -wal file, or of the journal, were written and not yet synced. */
  readonly early: number;
  /** Folders and files that were synced before the first acknowledgement, relative to the folder of the test. */
  readonly syncedFirst: readonly string[];
}

const WRITER = fileURLToPath(new URL("./power-cut-writer.ts", import.meta.url));
/** Only the first thread is traced: SQLite runs there, and acknowledgements are printed there. */
const STRACE = ["-y", "-qq", "-s", "0", "-e", "trace=write,pwrite64,fsync,fdatasync"];
/** call(descriptor</path>, …) = result */
const CALL = /^(\w+)\(\d+<([^>]*)>.*\) += (-?\d+)/;
const PRINTING = 'exec strace "$@" > "$0"';

export function hasStrace(): boolean {
  return spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0;
}

/** `dir` is an empty folder of the caller's. */
export async function traceWriter(dir: string, options: TraceOptions): Promise<TraceReport> {
  const { work, sync, most } = options;
  const [root, said, trace] = [join(dir, "project"), join(dir, "acknowledged"), join(dir, "trace")];
  mkdirSync(root);
  closeSync(openSync(said, "w"));
  const writing = [process.execPath, "--import", "tsx", WRITER, root, work, sync, String(most)];
  await promisify(execFile)("sh", ["-c", PRINTING, said, ...STRACE, "-o", trace, ...writing]);
  return judge(readFileSync(trace, "utf8"), dir, said);
}

function judge(trace: string, dir: string, said: string): TraceReport {
  const unsynced = new Set<string>();
  const synced = new Set<string>();
  let syncedFirst: readonly string[] = [];
  let acknowledgements = 0;
  let early = 0;
  for (const [call = "", path = ""] of callsOf(trace)) {
    if (path === said) {
      acknowledgements += 1;
      if (acknowledgements === 1) syncedFirst = [...synced];
      if (unsynced.size > 0) early += 1;
    } else if (call === "fsync" || call === "fdatasync") {
      unsynced.delete(path);
      synced.add(path.slice(dir.length + 1));
    } else if (isJournal(path)) {
      unsynced.add(path);
    }
  }
  return { acknowledgements, early, syncedFirst };
}

function isJournal(path: string): boolean {
  return basename(path) === "pawl.db" || basename(path) === "pawl.db-wal";
}

/** The calls that succeeded, in order. */
function* callsOf(trace: string): Generator<readonly [string, string]> {
  for (const line of trace.split("\n")) {
    const found = CALL.exec(line);
    if (found !== null && Number(found[3]) >= 0) yield [found[1] ?? "", found[2] ?? ""];
  }
}
