/** The one way in which a run changes: what happened is stored, then it is so. */
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AgentPorts } from "../ports.ts";
import type { JournalRecord, RecordOf, RecordType } from "./record.ts";
import { evolve, newState, type RunState } from "./state.ts";

export interface Chronicle {
  readonly state: RunState;
  /** `sync`: it must outlive a power cut before anything else happens. */
  write<T extends RecordType>(record: Omit<RecordOf<T>, "at"> & { readonly type: T }, sync?: boolean): Promise<void>;
  note(what: string, detail: string): Promise<void>;
}

export function createChronicle(
  run: RunId,
  past: readonly JournalRecord[],
  rules: string,
  { journal, clock, sinks }: Pick<AgentPorts, "journal" | "clock" | "sinks">,
): Chronicle {
  const state = newState();
  for (const record of past) evolve(state, record, rules);

  const write: Chronicle["write"] = async (fields, sync = false) => {
    const record = { ...fields, at: clock.now() } as unknown as JournalRecord;
    const stored = journal.append(run, record, sync);
    if (stored !== undefined) await stored;
    evolve(state, record, rules);
    quietly(() => sinks?.trace?.(record as unknown as JsonObject));
  };
  return { state, write, note: (what, detail) => write({ type: "run.noted", what, detail }) };
}

/** Whoever only watches cannot stop a run. */
export function quietly(tell: () => void): string | null {
  try {
    tell();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
