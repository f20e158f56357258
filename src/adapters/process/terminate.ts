/** Ends the processes of a stage and proves that they are gone: by asking the system, never by having sent a signal. */
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Group } from "./watch/group.ts";
import { listProcesses, type ProcessFact, readProcess } from "./watch/proc.ts";
import type { Tree } from "./watch/tree.ts";

/** The processes of a stage as one: what can be sent to all of them, and whether one is left. */
export interface Family {
  /** Asks everyone to end; one that is stopped is woken to hear it. */
  ask(): void;
  /** False when nobody was left to be killed. */
  kill(): boolean;
  isGone(): boolean;
}

const PAUSE_MS = 4;
const SOON_MS = 4;
/** How long a killed family may take to vanish before we go on without it. */
const PATIENCE_MS = 5000;
/** More than a stage may have; who is not asked is killed. */
const MOST_ASKED = 4096;

/** Sends a signal; false when there is nobody to get it. A process that may not be signalled is still there. */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  // That nobody is there is the usual answer: to write down where it was asked would cost more than all the rest.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Those of a process group, whoever was seen in the tree although it left the group, and those of the control group. */
export function createGroupFamily(group: number, tree: Tree, control: Group | null): Family {
  // Of a process that ended before anyone looked there is no tree to look at.
  const elsewhere = (): readonly number[] => {
    if (tree.members().length > 0) tree.look(MOST_ASKED);
    return tree.members().flatMap((member) => (member.group === group ? [] : [member.pid]));
  };
  return {
    ask: () => {
      tree.look(MOST_ASKED);
      for (const target of [-group, ...elsewhere()]) {
        sendSignal(target, "SIGTERM");
        sendSignal(target, "SIGCONT");
      }
    },
    kill: () => {
      control?.close();
      const members = elsewhere();
      const isHit = sendSignal(-group, "SIGKILL");
      for (const pid of members) sendSignal(pid, "SIGKILL");
      return killMembers(control) || isHit || members.length > 0;
    },
    isGone: () => (!sendSignal(-group, 0) || hasOnlyEnded(group)) && elsewhere().length === 0 && isEmpty(control),
  };
}

/**
 * Those of a process namespace. When its first process has ended, the kernel has ended and collected all others.
 * `outside` is the process that built the namespace and waits for it: it is not asked, or it would kill the rest.
 */
export function createNamespaceFamily(outside: number, init: ProcessFact, tree: Tree): Family {
  const isOver = (pid: number, startTicks: number | undefined): boolean => {
    const fact = readProcess(pid);
    return fact === undefined || fact.ended || (startTicks !== undefined && fact.startTicks !== startTicks);
  };
  return {
    ask: () => {
      tree.look(MOST_ASKED);
      for (const { pid } of tree.members()) {
        if (pid === outside || pid === init.pid) continue;
        sendSignal(pid, "SIGTERM");
        sendSignal(pid, "SIGCONT");
      }
    },
    kill: () => {
      const isHit = !isOver(init.pid, init.startTicks) && sendSignal(init.pid, "SIGKILL");
      return sendSignal(-outside, "SIGKILL") || isHit;
    },
    isGone: () => isOver(init.pid, init.startTicks) && (!sendSignal(-outside, 0) || isOver(outside, undefined)),
  };
}

/** Asks everyone to end, waits, then kills. Resolves to true when nobody is left. */
export async function end(family: Family, graceMs: number): Promise<boolean> {
  if (graceMs > 0) {
    family.ask();
    if (await isGoneWithin(family, graceMs)) return true;
  }
  return kill(family);
}

/** Kills everyone at once. Resolves to true when nobody is left. */
export async function kill(family: Family): Promise<boolean> {
  return !family.kill() || isGoneWithin(family, PATIENCE_MS, family.kill);
}

async function isGoneWithin(family: Family, ms: number, again?: () => boolean): Promise<boolean> {
  const from = performance.now();
  for (;;) {
    if (family.isGone()) return true;
    const elapsed = performance.now() - from;
    if (elapsed > ms) return false;
    // Most are gone within a millisecond or two.
    if (elapsed < SOON_MS) await turn();
    else await wait(PAUSE_MS);
    again?.();
  }
}

/** A member that ended but was not collected by its parent answers signals for ever; it can do nothing any more. */
function hasOnlyEnded(group: number): boolean {
  const members = listProcesses().filter((fact) => fact.group === group);
  return members.length > 0 && members.every((fact) => fact.ended);
}

function killMembers(control: Group | null): boolean {
  const members = control?.members() ?? [];
  for (const pid of members) sendSignal(pid, "SIGKILL");
  return members.length > 0;
}

function isEmpty(control: Group | null): boolean {
  return (control?.members() ?? []).every((pid) => readProcess(pid)?.ended !== false);
}

/** Ends whoever is in the control groups that a dead host left, and removes them. */
export async function endLeftGroups(groups: readonly Group[]): Promise<void> {
  for (const group of groups) {
    await kill({
      ask: () => undefined,
      kill: () => {
        group.close();
        return killMembers(group);
      },
      isGone: () => isEmpty(group),
    });
    await group.remove();
  }
}
