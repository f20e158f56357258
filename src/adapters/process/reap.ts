/**
 * Finds the processes of a stage by the key in their environment, wherever they have moved: a process may leave its
 * group, its session and its parent, but not what it was started with. Only Linux shows that; elsewhere none is found.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sendSignal } from "./terminate.ts";
import {
  hasVariable,
  listProcesses,
  newestPid,
  type ProcessFact,
  processesBetween,
  readProcess,
} from "./watch/proc.ts";

const PATIENCE_MS = 5000;
const PAUSE_MS = 4;
/** So many ids are asked for quicker than the list of all processes. */
const FEW = 32;

/**
 * Kills every process that holds the key, again and again until none is left. Resolves to the ids of those that could
 * not be ended. What the process `since` has started has a larger id, up to the newest: ids go up until they have gone
 * once around.
 */
export async function killMarked(key: string, since = 0): Promise<readonly number[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = findMarked(key, since);
    if (found.length === 0) return [];
    if (performance.now() > until) return found.map((fact) => fact.pid);
    for (const fact of found) killFound(fact);
    await wait(PAUSE_MS);
  }
}

function findMarked(key: string, since: number): readonly ProcessFact[] {
  const newest = since === 0 ? 0 : newestPid();
  if (since > 0 && newest === since) return [];
  return processesSince(since, newest).filter(
    (fact) => !fact.ended && fact.pid !== process.pid && hasVariable(fact.pid, "PAWL_KEY", key),
  );
}

/** All of them where ids have gone once around. */
function processesSince(since: number, newest: number): readonly ProcessFact[] {
  if (newest <= since) return listProcesses();
  if (newest - since <= FEW) return processesBetween(since + 1, newest);
  return listProcesses((pid) => pid > since && pid <= newest);
}

/** A group whose leader holds the key was made by the stage: all of it goes, so that none of it can fork on. */
export function killFound(fact: ProcessFact): void {
  const leads = fact.group === fact.pid && fact.group !== readProcess(process.pid)?.group;
  sendSignal(leads ? -fact.group : fact.pid, "SIGKILL");
}
