/** Journal: the append-only truth. One per project, shared safely by every process that opens it. */
import type { RunId } from "../../base/ids.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RunEvent, StoredEvent } from "../../run/events.ts";

/** First writer wins: when another writer has been there, nothing of this call is stored and its events are returned. */
export type Appended =
  | { readonly appended: true; readonly seq: number }
  | { readonly appended: false; readonly winner: readonly StoredEvent[] };

export interface Created {
  /** false: a run of this id exists; it is left as it is. */
  readonly created: boolean;
}

/** What `verify` found for one run. `seq` is the first event that does not fit. */
export type ChainReport =
  | { readonly intact: true; readonly events: number; readonly head: string }
  | { readonly intact: false; readonly seq: number; readonly problem: string };

export interface Journal {
  /**
   * Stores a new run with its plan and its first events (the first is `run.created`) in one durable step, which also
   * claims the run for this host (see Lease) unless the events lay it to rest.
   * Resolves when it would survive a power cut. Rejects with a PawlError (JOURNAL_*) when it was not stored.
   */
  create(run: RunId, plan: Plan, events: readonly RunEvent[]): Promise<Created>;
  /**
   * Stores events at `expectedSeq`, `expectedSeq + 1`, … (the first event of a run has seq 1), all or none. Events that
   * end the run or lay it to rest (`run.finished`, `run.waiting`, `run.paused`) also give back its lease.
   * Resolves when they would survive a power cut; calls of many runs may share one commit. Events are stored as
   * canonical JSON, exactly as given: redaction happened before. Rejects with a PawlError (JOURNAL_*) when they were not stored.
   */
  append(run: RunId, expectedSeq: number, events: readonly RunEvent[]): Promise<Appended>;
  /** Events with seq > afterSeq in order, at most `limit`. An unknown run has none. */
  read(run: RunId, afterSeq: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Every event after `afterSeq`, then each new one as it becomes durable, by whichever process; ends when the run has finished or `signal` aborts. */
  follow(run: RunId, afterSeq: number, signal: AbortSignal): AsyncIterable<StoredEvent>;
  /** The plan a run was created with. */
  plan(fingerprint: string): Promise<Plan | undefined>;
  /** Recomputes the chain from the stored bytes and compares it with the pinned head. */
  verify(run: RunId): Promise<ChainReport>;
  /** Waits for appends under way, then lets go of the store. Idempotent. */
  close(): Promise<void>;
}
