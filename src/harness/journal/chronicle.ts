/** The one way in which a run changes: what happened is stored, then it is so. */
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AgentPorts } from "../ports.ts";
import type { JournalRecord, RecordOf, RecordType } from "./record.ts";
import { evolve, newState, type RunState, TURN } from "./state.ts";

export interface Chronicle {
  readonly state: RunState;
  /** `sync`: it must outlive a power cut before anything else happens. */
  write<T extends RecordType>(record: Omit<RecordOf<T>, "at"> & { readonly type: T }, sync?: boolean): Promise<void>;
  /** A number for a question beside the talk: several may be open at a time. */
  next(): number;
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
  let last = TURN;
  const next = (): number => {
    last += 1;
    return last;
  };
  return { state, write, next, note: (what, detail) => write({ type: "run.noted", what, detail }) };
}

/** Whoever only watches cannot stop a run. */
export function quietly(tell: () => unknown): string | null {
  try {
    const told = tell();
    // Nobody waits for it; what goes wrong in it would be the end of the process.
    if (told instanceof Promise) told.catch(() => undefined);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
