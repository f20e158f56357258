/** Ends a process group and proves that it is gone: by asking the system, never by having sent a signal. */
import { setTimeout as wait } from "node:timers/promises";
import { listProcesses } from "./proc.ts";

const PAUSE_MS = 10;
/** How long a killed group may take to vanish before we go on without it. */
const PATIENCE_MS = 5000;

/** Sends a signal; false when there is nobody to get it. A process that may not be signalled is still there. */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Asks the group to end, waits, then kills it. Resolves to true when it is gone. */
export async function endGroup(group: number, graceMs: number): Promise<boolean> {
  if (!sendSignal(-group, "SIGTERM")) return true;
  if (await isGone(group, graceMs)) return true;
  return killGroup(group);
}

/** Kills the group at once. Resolves to true when it is gone. */
export async function killGroup(group: number): Promise<boolean> {
  if (!sendSignal(-group, "SIGKILL")) return true;
  return isGone(group, PATIENCE_MS);
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (;;) {
    if (!sendSignal(-group, 0)) return true;
    await wait(PAUSE_MS);
    if (hasOnlyEnded(group)) return true;
    if (performance.now() > until) return !sendSignal(-group, 0);
  }
}

/** A member that ended but was not collected by its parent answers signals for ever; it can do nothing any more. */
function hasOnlyEnded(group: number): boolean {
  const members = listProcesses().filter((fact) => fact.group === group);
  return members.length > 0 && members.every((fact) => fact.ended);
}
