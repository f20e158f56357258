/** A journal that lives as long as its process. */
import type { AgentJournal, JournalRecord } from "./record.ts";

export function createMemoryJournal(): AgentJournal {
  const runs = new Map<string, JournalRecord[]>();
  const held = new Set<string>();
  return {
    hold(run) {
      if (held.has(run)) return "this process";
      held.add(run);
      return null;
    },
    read: (run) => runs.get(run) ?? [],
    append(run, record) {
      const known = runs.get(run);
      if (known === undefined) runs.set(run, [record]);
      else known.push(record);
    },
    release: (run) => void held.delete(run),
  };
}
