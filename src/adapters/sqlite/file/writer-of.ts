/**
 * Who has the lock of the writer of a database, by the locks of the operating system: a process that stands still inside a transaction keeps
 * everybody else from writing, and nothing that is stored could say so. Needs /proc.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import type { Writer } from "../../../ports/loops/loop-store.ts";

/** The byte of the -shm file that SQLite locks while it writes. */
const WRITE_BYTE = 120;
const POSIX = /^\d+: (?:POSIX|OFDLCK)\s+\S+\s+WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) (\d+) (\d+|EOF)$/;
const TICKS_PER_SECOND = 100;

/** null: nobody, this process, or it cannot be known. */
export function writerOf(file: string): Writer | null {
  try {
    const shared = realpathSync(`${file}-shm`);
    const { ino } = statSync(shared);
    const pids = readFileSync("/proc/locks", "latin1")
      .split("\n")
      .flatMap((line) => pidOf(line, ino));
    const pid = pids.find((each) => each !== process.pid && hasOpen(each, shared));
    return pid === undefined ? null : factsOf(pid);
  } catch {
    return null;
  }
}

function pidOf(line: string, inode: number): readonly number[] {
  const [, pid, ino, from, to] = POSIX.exec(line) ?? [];
  const covers = Number(from) <= WRITE_BYTE && (to === "EOF" || WRITE_BYTE <= Number(to));
  return Number(ino) === inode && covers ? [Number(pid)] : [];
}

/** Numbers of files are those of their disk alone: whoever has a lock on this one has it open. */
function hasOpen(pid: number, path: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
}

function factsOf(pid: number): Writer {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const bootedS = Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1]);
  const startTicks = Number(fields[19]);
  return {
    pid,
    startTicks,
    since: Math.round((bootedS + startTicks / TICKS_PER_SECOND) * 1000),
    workedTicks: Number(fields[11]) + Number(fields[12]),
    isStopped: /^[Tt]$/.test(fields[0] ?? ""),
  };
}
