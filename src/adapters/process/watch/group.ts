/**
 * A control group around one stage, where we may make one: the kernel itself then keeps the limits of memory and
 * processes, and tells whom it killed. Of the first version only hierarchies in whose top group we are: a group that
 * someone else put us in is theirs to manage. Of the second version that, or a group that belongs to our user.
 */
import { mkdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../../base/digest.ts";
import { namesIn, numbersIn, readProcess, readText } from "./proc.ts";

export interface GroupLimits {
  readonly memoryBytes: number | null;
  readonly processes: number | null;
}

export interface GroupFacts {
  readonly oomKills: number;
  /** How often one of them could not start another for want of room in the group. */
  readonly refusedStarts: number;
  /** null: it is not told. */
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
}

export interface Group {
  /** Whether the process, and so everything it will start, is in the group. */
  add(pid: number): boolean;
  facts(): GroupFacts;
  members(): readonly number[];
  /** From now on none of them can start another. */
  close(): void;
  /** Resolves when it is gone, or when it cannot be removed because someone is still in it. */
  remove(): Promise<void>;
}

export interface Groups {
  /** null: none can be made that keeps one of these limits. */
  make(key: string, limits: GroupLimits): Group | null;
  /** The groups that earlier hosts, now dead, left for this key. */
  leftBy(key: string): readonly Group[];
}

interface Branch {
  readonly folder: string;
  readonly version: 1 | 2;
  readonly keeps: ReadonlySet<string>;
}

/**
 * To move a process into a group takes the kernel some milliseconds. As many processes as this a machine survives, so
 * for a larger limit it is enough to look now and then.
 */
export const HARD_BELOW = 1024;
const REMOVE_TRIES = 40;
const REMOVE_PAUSE_MS = 25;
/** Threads count in a group as well, and a limit of processes says nothing about them. */
const TASKS_PER_PROCESS = 16;
const TASKS_MORE = 64;

export function createGroups(proc = "/proc", cgroups = "/sys/fs/cgroup"): Groups {
  let found: readonly Branch[] | undefined;
  let made = 0;
  const branches = (): readonly Branch[] => {
    found ??= findBranches(proc, cgroups);
    return found;
  };
  const foldersOf = (name: string): readonly (readonly [Branch, string])[] =>
    branches().map((branch) => [branch, `${branch.folder}/${name}`] as const);
  const left = (suffix: string): readonly string[] => {
    const names = branches().flatMap((branch) => namesIn(branch.folder));
    return [...new Set(names)].filter((name) => hostOf(name)?.isDead === true && name.includes(suffix));
  };

  return {
    make: (key, limits) => {
      // What a dead host left empty goes with the first use; what still has members is ended by its key.
      if (made === 0) for (const name of left("")) for (const [, folder] of foldersOf(name)) removeFolder(folder);
      made += 1;
      const name = `pawl-${process.pid}-${readProcess("self")?.startTicks ?? 0}-${markOf(key)}-${made}`;
      const parts = foldersOf(name).filter(([branch, folder]) => makeFolder(branch, folder, limits));
      return parts.length === 0 ? null : groupOf(parts);
    },
    leftBy: (key) => left(`-${markOf(key)}-`).map((name) => groupOf(foldersOf(name))),
  };
}

/** As many tasks as so many processes may have at most. */
export function mostTasks(processes: number): number {
  return processes * TASKS_PER_PROCESS + TASKS_MORE;
}

function markOf(key: string): string {
  return sha256(key).slice(0, 24);
}

/** The host that a group is named after; undefined: the group is not one of ours. */
function hostOf(name: string): { readonly isDead: boolean } | undefined {
  const parts = /^pawl-(\d+)-(\d+)-[0-9a-f]{24}-\d+$/.exec(name);
  if (parts === null) return undefined;
  const host = readProcess(Number(parts[1]));
  return { isDead: host === undefined || host.ended || host.startTicks !== Number(parts[2]) };
}

function findBranches(proc: string, cgroups: string): readonly Branch[] {
  const own = readText(`${proc}/self/cgroup`) ?? "";
  const branches: Branch[] = [];
  for (const [, names = "", path = ""] of own.matchAll(/^\d+:([^:\n]*):(.*)$/gm)) {
    const keeps = new Set(names.split(",").filter((name) => name === "pids" || name === "memory"));
    if (keeps.size > 0 && path === "/") branches.push({ folder: `${cgroups}/${names}`, version: 1, keeps });
    if (names === "") branches.push(...unified(`${cgroups}${path === "/" ? "" : path}`, path === "/"));
  }
  return branches;
}

function unified(folder: string, isTop: boolean): readonly Branch[] {
  const offered = readText(`${folder}/cgroup.controllers`)?.trim().split(" ") ?? [];
  const wanted = ["pids", "memory"].filter((name) => offered.includes(name));
  if (wanted.length === 0 || !(isTop || isOurs(folder))) return [];
  const given = (): readonly string[] => readText(`${folder}/cgroup.subtree_control`)?.trim().split(" ") ?? [];
  const lacking = wanted.filter((name) => !given().includes(name));
  // Refused where processes live beside the group, which the second version allows in its top group only.
  if (lacking.length > 0) write(`${folder}/cgroup.subtree_control`, lacking.map((name) => `+${name}`).join(" "));
  const keeps = new Set(wanted.filter((name) => given().includes(name)));
  return keeps.size === 0 ? [] : [{ folder, version: 2, keeps }];
}

function isOurs(folder: string): boolean {
  try {
    const { uid } = statSync(folder);
    return uid !== 0 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** False: it keeps none of these limits, and is not there. */
function makeFolder({ keeps, version }: Branch, folder: string, limits: GroupLimits): boolean {
  const memory = keeps.has("memory") ? limits.memoryBytes : null;
  const processes = keeps.has("pids") ? limits.processes : null;
  if (memory === null && processes === null) return false;
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  const isKept = [
    processes !== null && write(`${folder}/pids.max`, String(mostTasks(processes))),
    memory !== null && limitMemory(folder, version, memory),
  ].includes(true);
  if (!isKept) removeFolder(folder);
  return isKept;
}

/** Without swap, which would only put the end off; not every kernel counts it. */
function limitMemory(folder: string, version: Branch["version"], bytes: number): boolean {
  const isKept = write(`${folder}/memory.${version === 1 ? "limit_in_bytes" : "max"}`, String(bytes));
  if (version === 1) write(`${folder}/memory.memsw.limit_in_bytes`, String(bytes));
  else write(`${folder}/memory.swap.max`, "0");
  return isKept;
}

function groupOf(parts: readonly (readonly [Branch, string])[]): Group {
  const folders = parts.map(([, folder]) => folder);
  const numbers = (pattern: RegExp, ...files: readonly string[]): readonly number[] =>
    folders
      .flatMap((folder) => files.map((file) => pattern.exec(readText(`${folder}/${file}`) ?? "")?.[1]))
      .filter((text) => text !== undefined)
      .map(Number);
  return {
    add: (pid) => folders.map((folder) => write(`${folder}/cgroup.procs`, String(pid))).every((done) => done),
    facts: () => {
      const [usec] = numbers(/^usage_usec (\d+)$/m, "cpu.stat");
      const [peakBytes] = numbers(/^(\d+)$/m, "memory.peak", "memory.max_usage_in_bytes");
      return {
        oomKills: Math.max(0, ...numbers(/^oom_kill (\d+)$/m, "memory.events", "memory.oom_control")),
        refusedStarts: Math.max(0, ...numbers(/^max (\d+)$/m, "pids.events")),
        cpuMs: usec === undefined ? null : Math.round(usec / 1000),
        peakBytes: peakBytes ?? null,
      };
    },
    members: () => [...new Set(folders.flatMap((folder) => numbersIn(readText(`${folder}/cgroup.procs`))))],
    close: () => {
      for (const folder of folders) write(`${folder}/pids.max`, "0");
    },
    remove: async () => {
      for (const folder of folders) {
        for (let left = REMOVE_TRIES; !removeFolder(folder) && left > 0; left -= 1) await wait(REMOVE_PAUSE_MS);
      }
    },
  };
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "r+" });
    return true;
  } catch {
    return false;
  }
}

/** True when it is gone. */
function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
