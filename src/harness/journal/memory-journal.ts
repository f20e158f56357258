/** A journal that lives as long as its process. */
import type { AgentJournal, JournalRecord } from "./record.ts";

export function createMemoryJournal(): AgentJournal {
  const runs = new Map<string, JournalRecord[]>();
  return {
    read: (run) => runs.get(run) ?? [],
    append(run, record) {
      const known = runs.get(run);
      if (known === undefined) runs.set(run, [record]);
      else known.push(record);
    },
    release: () => undefined,
  };
}
