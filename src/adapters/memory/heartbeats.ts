/** Heartbeats in memory: for one process, and for tests. */
import type { RunId } from "../../base/ids.ts";
import type { Heartbeat, Heartbeats } from "../../ports/heartbeats.ts";

export function createMemoryHeartbeats(): Heartbeats {
  const runs = new Map<RunId, Map<string, Heartbeat>>();
  return {
    beat: (fact) => {
      const stages = runs.get(fact.run) ?? new Map<string, Heartbeat>();
      runs.set(fact.run, stages.set(fact.stage, fact));
    },
    read: async (run) => {
      const stages = [...(runs.get(run)?.values() ?? [])];
      return stages.sort((a, b) => (a.stage < b.stage ? -1 : 1));
    },
    runs: async () => [...runs.keys()],
    clear: async (run) => {
      runs.delete(run);
    },
  };
}
