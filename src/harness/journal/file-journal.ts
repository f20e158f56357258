/** A journal in a folder: a file of JSON lines for each run, which one process holds. A line that a crash cut off is no line. */
import { closeSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { RunLock, RunLocks } from "../../ports/agents/run-lock.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import type { AgentJournal, JournalRecord } from "./record.ts";

/** As `formatRunId` makes them: no name of a run leads out of the folder. */
const RUN_ID = /^r_[0-9a-z]{12}$/;

export function createFolderJournal(folder: string, locks: RunLocks): AgentJournal {
  const open = new Map<string, number>();
  const held = new Map<string, RunLock>();

  const descriptorOf = (run: string): number => {
    const known = open.get(run);
    if (known !== undefined) return known;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(pathOf(folder, run), "a", 0o600);
    // What follows must begin on a line of its own.
    ftruncateSync(fd, wholeLines(folder, run).length);
    open.set(run, fd);
    return fd;
  };

  return {
    async hold(run) {
      const found = await locks.hold(join(folder, idOf(run)));
      if ("holder" in found) return found.holder;
      held.set(run, found.lock);
      return null;
    },
    read: (run) => linesOf(folder, run).map((line, index) => parsed(run, line, index)),
    append(run, record, sync) {
      const fd = descriptorOf(run);
      writeAll(fd, Buffer.from(`${JSON.stringify(record)}\n`));
      if (sync) fdatasyncSync(fd);
    },
    release(run) {
      const fd = open.get(run);
      open.delete(run);
      if (fd !== undefined) closeSync(fd);
      held.get(run)?.release();
      held.delete(run);
    },
  };
}

function pathOf(folder: string, run: string): string {
  return join(folder, `${idOf(run)}.jsonl`);
}

function idOf(run: string): string {
  if (!RUN_ID.test(run)) {
    throw pawlError(HARNESS_ERRORS, "HARNESS_JOURNAL_UNFIT", { run, problem: "this is no id of a run" });
  }
  return run;
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

function wholeLines(folder: string, run: string): Buffer {
  try {
    const bytes = readFileSync(pathOf(folder, run));
    return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

function linesOf(folder: string, run: string): readonly string[] {
  return wholeLines(folder, run).toString("utf8").split("\n").slice(0, -1);
}

function parsed(run: string, line: string, index: number): JournalRecord {
  try {
    return JSON.parse(line) as JournalRecord;
  } catch {
    const problem = `line ${index + 1} of its journal is damaged`;
    throw pawlError(HARNESS_ERRORS, "HARNESS_JOURNAL_UNFIT", { run, problem });
  }
}
