/**
 * Finds the processes of a stage by the key in their environment, wherever they have moved: a process may leave its
 * group, its session and its parent, but not what it was started with. Only Linux shows that; elsewhere none is found.
 */
import { setTimeout as wait } from "node:timers/promises";
import { hasVariable, listProcesses, type ProcessFact, readProcess } from "./proc.ts";
import { sendSignal } from "./terminate.ts";

const PATIENCE_MS = 5000;
const PAUSE_MS = 4;

/** Which processes can hold the key at all: the fewer, the quicker the look. */
export interface Among {
  /** Only those started then or later, in clock ticks since boot. */
  readonly sinceTicks: number;
  /** Only those with a larger id. */
  readonly abovePid: number;
}

/**
 * Kills every process that holds the key, again and again until none is left. Resolves to the ids of those that could
 * not be ended.
 */
export async function killMarked(
  key: string,
  among: Among = { sinceTicks: 0, abovePid: 0 },
): Promise<readonly number[]> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = findMarked(key, among);
    if (found.length === 0) return [];
    if (performance.now() > until) return found.map((fact) => fact.pid);
    for (const fact of found) kill(fact);
    await wait(PAUSE_MS);
  }
}

function findMarked(key: string, among: Among): readonly ProcessFact[] {
  return listProcesses(among.abovePid).filter(
    (fact) =>
      !fact.ended &&
      fact.startTicks >= among.sinceTicks &&
      fact.pid !== process.pid &&
      hasVariable(fact.pid, "PAWL_KEY", key),
  );
}

/** A group whose leader holds the key was made by the stage: all of it goes, so that none of it can fork on. */
function kill(fact: ProcessFact): void {
  const leads = fact.group === fact.pid && fact.group !== readProcess(process.pid)?.group;
  sendSignal(leads ? -fact.group : fact.pid, "SIGKILL");
}
