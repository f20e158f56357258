/** Reaper on the processes of this machine: found by what they were started with, and by who started them. Needs /proc. */
import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { RunId } from "../../../base/ids.ts";
import type { Reaped, Reaper } from "../../../ports/stop/reaper.ts";
import { killFound } from "../reap.ts";
import { sendSignal } from "../terminate.ts";
import { listProcesses, type ProcessFact, readProcess, readVariable } from "../watch/proc.ts";
import { createTree } from "../watch/tree.ts";

export interface ProcessReaperOptions {
  /** The state directory: whoever hosts a run of it holds a lock in it. */
  readonly stateDir: string;
}

const PATIENCE_MS = 5000;
const PAUSE_MS = 4;
/** A process that is about to be gone has closed its files before. */
const LEAVING_MS = 100;
const MOST_OF_A_HOST = 65_536;

export function createProcessReaper({ stateDir }: ProcessReaperOptions): Reaper {
  return {
    endRuns: (runs) => endAll(() => findRuns(new Set(runs)), killFound),
    async endHost(holder) {
      if (holder.hostname !== hostname() || holder.pid === process.pid) return null;
      const isOurs = await isHost(holder.pid, stateDir);
      // Looked at last: others may end it too.
      const host = readProcess(holder.pid);
      if (host === undefined || host.ended) return { ended: 0, left: [] };
      if (!isOurs) return null;
      // Stopped, it starts nobody while we look.
      sendSignal(host.pid, "SIGSTOP");
      const tree = createTree(host.pid, { countsTransfer: false });
      tree.look(MOST_OF_A_HOST);
      const family = tree.members();
      return endAll(
        () => family.filter(isAlive),
        (fact) => sendSignal(fact.pid, "SIGKILL"),
      );
    },
  };
}

/** Kills those that are found again and again until there are none. */
async function endAll(find: () => readonly ProcessFact[], kill: (fact: ProcessFact) => unknown): Promise<Reaped> {
  const until = performance.now() + PATIENCE_MS;
  const seen = new Set<string>();
  for (;;) {
    const found = find();
    for (const { pid, startTicks } of found) seen.add(`${pid} ${startTicks}`);
    if (found.length === 0 || performance.now() > until)
      return { ended: seen.size - found.length, left: found.map(({ pid }) => pid) };
    for (const fact of found) kill(fact);
    await wait(PAUSE_MS);
  }
}

function findRuns(runs: ReadonlySet<RunId>): readonly ProcessFact[] {
  return listProcesses().filter((fact) => {
    if (fact.ended || fact.pid === process.pid) return false;
    // A key is `run:stage:visit`.
    const run = readVariable(fact.pid, "PAWL_KEY")?.split(":", 1)[0];
    return run !== undefined && runs.has(run as RunId);
  });
}

function isAlive({ pid, startTicks }: ProcessFact): boolean {
  const now = readProcess(pid);
  return now !== undefined && !now.ended && now.startTicks === startTicks;
}

/** Only a process that holds a lock of this project: an id may be used again. */
async function isHost(pid: number, stateDir: string): Promise<boolean> {
  const until = performance.now() + LEAVING_MS;
  while (!holdsLock(pid, stateDir)) {
    const now = readProcess(pid);
    if (now === undefined || now.ended || performance.now() > until) return false;
    await wait(PAUSE_MS);
  }
  return true;
}

function holdsLock(pid: number, stateDir: string): boolean {
  try {
    const dir = realpathSync(stateDir);
    const locks = ["hosts", "workers"].map((name) => join(dir, name) + sep);
    const held = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    return held.some((path) => locks.some((folder) => path.startsWith(folder)));
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
