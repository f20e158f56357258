/** What /proc says about processes. Where there is no /proc every list is empty. */
import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";

export interface ProcessFact {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ended, and only waits to be collected by its parent. */
  readonly ended: boolean;
  /** It runs, or would if a processor were free. */
  readonly runs: boolean;
  readonly threads: number;
  /** Clock ticks between boot and the start of the process. */
  readonly startTicks: number;
  /** Processor time of its own and of the children it has collected. */
  readonly cpuMs: number;
  /** Processor time of the children it has collected. */
  readonly collectedMs: number;
  readonly memoryBytes: number;
}

/** Every process that can be seen with such an id. Synchronous: a look must be over before the processes change much. */
export function listProcesses(isWanted: (pid: number) => boolean = () => true): readonly ProcessFact[] {
  const facts: ProcessFact[] = [];
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!(pid > 0 && isWanted(pid))) continue;
    const fact = readProcess(pid);
    if (fact !== undefined) facts.push(fact);
  }
  return facts;
}

/** Processes with ids from `first` to `last`, of which there are few: asked for one by one, a machine with many others costs nothing. */
export function processesBetween(first: number, last: number): readonly ProcessFact[] {
  const facts: ProcessFact[] = [];
  for (let pid = first; pid <= last; pid += 1) {
    const fact = existsSync(`/proc/${pid}`) ? readProcess(pid) : undefined;
    if (fact !== undefined) facts.push(fact);
  }
  return facts;
}

/** The newest process id. Ids go up and begin again from below when they are used up. */
export function newestPid(): number {
  return Number(readText("/proc/loadavg")?.trim().split(" ").at(-1) ?? 0);
}

export function readProcess(pid: number | "self"): ProcessFact | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in brackets may hold spaces and brackets itself; the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (at: number): number => Number(fields[at]);
  const { tickMs, pageBytes } = units();
  const collectedMs = (field(13) + field(14)) * tickMs;
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(1),
    group: field(2),
    ended: fields[0] === "Z" || fields[0] === "X",
    runs: fields[0] === "R",
    threads: field(17),
    startTicks: field(19),
    cpuMs: (field(11) + field(12)) * tickMs + collectedMs,
    collectedMs,
    memoryBytes: field(21) * pageBytes,
  };
}

export function childrenOf({ pid, threads }: Pick<ProcessFact, "pid" | "threads">): readonly number[] {
  const tasks = threads === 1 ? [String(pid)] : namesIn(`/proc/${pid}/task`);
  return tasks.flatMap((task) => numbersIn(readText(`/proc/${pid}/task/${task}/children`)));
}

/** Bytes that a process and the children it has collected have read and written by any call; 0 when that is not told. */
export function readTransfer(pid: number): number {
  const text = readText(`/proc/${pid}/io`);
  return text === undefined ? 0 : numberIn(text, /^rchar: (\d+)$/m) + numberIn(text, /^wchar: (\d+)$/m);
}

/** Memory of a process in which shared pages count by their share; undefined when that is not told. */
export function readShare(pid: number): number | undefined {
  const text = readText(`/proc/${pid}/smaps_rollup`);
  return text === undefined ? undefined : numberIn(text, /^Pss: +(\d+) kB$/m) * 1024;
}

/** Whether it is the first process of a process namespace other than ours. */
export function isInit(pid: number): boolean {
  const ids = /^NSpid:\t(.*)$/m.exec(readText(`/proc/${pid}/status`) ?? "")?.[1]?.split("\t") ?? [];
  return ids.length > 1 && ids.at(-1) === "1";
}

/** What the process was started with in this variable; undefined: nothing, or that cannot be seen. */
export function readVariable(pid: number, name: string): string | undefined {
  const environ = readText(`/proc/${pid}/environ`);
  return environ
    ?.split("\0")
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Whether the process was started with exactly this variable; false when that cannot be seen. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  const environ = readBytes(`/proc/${pid}/environ`);
  if (environ === undefined) return false;
  const entry = Buffer.from(`${name}=${value}`);
  for (let at = environ.indexOf(entry); at !== -1; at = environ.indexOf(entry, at + 1)) {
    const after = environ[at + entry.length];
    if ((at === 0 || environ[at - 1] === 0) && (after === 0 || after === undefined)) return true;
  }
  return false;
}

/**
 * How often the system has killed for want of memory so far, here or in our control group. undefined: it does not say.
 */
export function countOomKills(proc = "/proc", cgroups = "/sys/fs/cgroup"): number | undefined {
  const own = readText(`${proc}/self/cgroup`) ?? "";
  const unified = /^0::(.*)$/m.exec(own)?.[1];
  const memory = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(own)?.[1];
  const counts = [
    countIn(`${proc}/vmstat`),
    unified === undefined ? undefined : countIn(`${cgroups}${unified}/memory.events`),
    memory === undefined ? undefined : countIn(`${cgroups}/memory${memory}/memory.oom_control`),
  ].filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

function countIn(file: string): number | undefined {
  const found = /^oom_kill (\d+)$/m.exec(readText(file) ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}

export function readText(file: string): string | undefined {
  return readBytes(file)?.toString("latin1");
}

/** A view that is good until the next call. Three times as quick as readFileSync, which looks for the size first. */
function readBytes(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return undefined;
  }
  try {
    let used = 0;
    for (;;) {
      const got = readSync(descriptor, buffer, used, buffer.length - used, null);
      if (got === 0) return buffer.subarray(0, used);
      used += got;
      if (used === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
    }
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

let buffer = Buffer.allocUnsafeSlow(16_384);

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function numbersIn(text: string | undefined): readonly number[] {
  return text === undefined || text.trim() === "" ? [] : text.trim().split(/\s+/).map(Number);
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

interface Units {
  readonly tickMs: number;
  readonly pageBytes: number;
}

const AT_PAGE_SIZE = 6n;
const AT_CLOCK_TICKS = 17n;
let known: Units | undefined;

/** The units of the kernel, from what it told this process at its start. */
function units(): Units {
  known ??= readUnits();
  return known;
}

function readUnits(): Units {
  const vector = Buffer.from(readBytes("/proc/self/auxv") ?? []);
  const entry = (wanted: bigint, otherwise: number): number => {
    for (let at = 0; at + 16 <= vector.length; at += 16) {
      if (vector.readBigUInt64LE(at) === wanted) return Number(vector.readBigUInt64LE(at + 8));
    }
    return otherwise;
  };
  return { tickMs: 1000 / entry(AT_CLOCK_TICKS, 100), pageBytes: entry(AT_PAGE_SIZE, 4096) };
}
