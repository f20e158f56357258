/**
 * Projector: keeps files of another system true while a run is under way. They are never the truth: that is the journal, from
 * which they can be made again, and a file that cannot be written changes nothing about the run.
 */
import type { RunId } from "../../base/ids.ts";
import type { Origin, Plan } from "../../plan/plan.ts";
import type { Heartbeat } from "../../ports/heartbeats.ts";
import type { ArtifactRef, StoredEvent } from "../../run/events.ts";
import type { SharedTexts } from "../loops/tick-parts.ts";

/** What a projector begins with. */
export interface Projected {
  /** The root of the project. */
  readonly root: string;
  readonly run: RunId;
  readonly plan: Plan;
  readonly origin: Origin;
  readonly texts: SharedTexts;
  /** The bytes of a log or an artifact. */
  bytes(ref: ArtifactRef): Promise<Uint8Array>;
}

/** Calls come one at a time. What one of them throws is told, and the next one comes all the same. */
export interface Projector {
  /** Every event of the run, from the first, also those that an earlier host has seen: telling one twice changes nothing. */
  apply(stored: StoredEvent): Promise<void>;
  /** What the processes of the run are doing, now and then. */
  live?(beats: readonly Heartbeat[]): Promise<void>;
  /** Nothing more comes from this host; the run may rest. */
  end(): Promise<void>;
}

export type BeginProjector = (projected: Projected) => Promise<Projector>;
