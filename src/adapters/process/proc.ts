/** What /proc says about processes. Where there is no /proc every list is empty. */
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessFact {
  readonly pid: number;
  readonly group: number;
  /** Ended, and only waits to be collected by its parent. */
  readonly ended: boolean;
  /** Clock ticks between boot and the start of the process. */
  readonly startTicks: number;
}

/** Every process that can be seen with a larger id. Synchronous: a look must be over before the processes change much. */
export function listProcesses(abovePid = 0): readonly ProcessFact[] {
  const facts: ProcessFact[] = [];
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!(pid > abovePid)) continue;
    const fact = readProcess(pid);
    if (fact !== undefined) facts.push(fact);
  }
  return facts;
}

/** The newest process id. Ids go up and begin again from below when they are used up. */
export function newestPid(): number {
  return Number(read("/proc/loadavg")?.toString("latin1").trim().split(" ").at(-1) ?? 0);
}

export function readProcess(pid: number): ProcessFact | undefined {
  const stat = read(`/proc/${pid}/stat`)?.toString("latin1");
  if (stat === undefined) return undefined;
  // The name in brackets may hold spaces and brackets itself; the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    group: Number(fields[2]),
    ended: fields[0] === "Z" || fields[0] === "X",
    startTicks: Number(fields[19]),
  };
}

/** Whether the process was started with exactly this variable; false when that cannot be seen. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  const environ = read(`/proc/${pid}/environ`);
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
  const own = read(`${proc}/self/cgroup`)?.toString("utf8") ?? "";
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
  const found = /^oom_kill (\d+)$/m.exec(read(file)?.toString("latin1") ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
