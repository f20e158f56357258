/** The order of writes, syncs and acknowledgements of a writer, as its system calls show it. Needs strace, but no root. */
import { execFile, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Work } from "./power-cut.ts";

export interface TraceOptions {
  /** `ledger`: reservations and settlements, which are synced on another thread. */
  readonly work: Work | "ledger";
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
/** Without `-f` only the first thread is traced: SQLite runs there, and acknowledgements are printed there. */
const STRACE = ["-y", "-qq", "-s", "0", "-e", "trace=write,pwrite64,fsync,fdatasync"];
/** [thread] call(descriptor</path>, … */
const BEGUN = /^(?:(\d+) +)?(\w+)\(\d+<([^>]*)>/;
/** [thread] <... call resumed>…, when another thread was heard meanwhile. */
const RESUMED = /^(\d+) +<\.\.\. \w+ resumed>/;
const RESULT = /\) += (-?\d+)/;
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
  const threads = work === "ledger" ? ["-f"] : [];
  const writing = [process.execPath, "--import", "tsx", WRITER, root, work, sync, String(most)];
  await promisify(execFile)("sh", ["-c", PRINTING, said, ...threads, ...STRACE, "-o", trace, ...writing]);
  return judge(readFileSync(trace, "utf8"), dir, said);
}

function judge(trace: string, dir: string, said: string): TraceReport {
  /** How many writes of a file are not synced. */
  const unsynced = new Map<string, number>();
  const synced = new Set<string>();
  let syncedFirst: readonly string[] = [];
  let acknowledgements = 0;
  let early = 0;
  for (const { call, path, before } of callsOf(trace, (of) => unsynced.get(of))) {
    if (path === said) {
      acknowledgements += 1;
      if (acknowledgements === 1) syncedFirst = [...synced];
      if (unsynced.size > 0) early += 1;
    } else if (call === "fsync" || call === "fdatasync") {
      // What is written while a sync is under way is not part of it.
      if (unsynced.get(path) === before) unsynced.delete(path);
      synced.add(path.slice(dir.length + 1));
    } else if (isJournal(path)) {
      unsynced.set(path, (unsynced.get(path) ?? 0) + 1);
    }
  }
  return { acknowledgements, early, syncedFirst };
}

function isJournal(path: string): boolean {
  return basename(path) === "pawl.db" || basename(path) === "pawl.db-wal";
}

interface Call {
  readonly call: string;
  readonly path: string;
  /** What `look` said when it began. */
  readonly before: number | undefined;
}

/** The calls that succeeded, in the order of their ends. */
function* callsOf(trace: string, look: (path: string) => number | undefined): Generator<Call> {
  const underWay = new Map<string, Call>();
  for (const line of trace.split("\n")) {
    const resumed = RESUMED.exec(line);
    const begun = BEGUN.exec(line);
    const thread = resumed?.[1] ?? begun?.[1] ?? "";
    if (begun !== null) {
      const [, , call = "", path = ""] = begun;
      underWay.set(thread, { call, path, before: look(path) });
    }
    const result = RESULT.exec(line);
    const ended = underWay.get(thread);
    if (result === null || ended === undefined) continue;
    underWay.delete(thread);
    if (Number(result[1]) >= 0) yield ended;
  }
}
