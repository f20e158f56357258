/** Evidence: what is known of a blueprint's gates besides its runs. Append-only: what was recorded is never changed. */
import type { RunId } from "../../base/ids.ts";
import type { Level } from "../../blueprint/blueprint.ts";

interface RecordCommon {
  /** Unique; adding a record again under the same id is adding it once. */
  readonly id: string;
  readonly at: number;
  readonly blueprint: string;
  readonly by: string;
}

/** Known-bad and harmless changes were planted, and the gates judged them. */
export interface DrillRecord extends RecordCommon {
  readonly kind: "drill";
  readonly plan: string;
  /** Digest of gates, protected paths and policy: a drill says nothing about any others. */
  readonly gates: string;
  /** Of those among them that a run at L2 has; without it, nobody asked when it was recorded. */
  readonly gatesAtL2?: string;
  readonly planted: number;
  readonly caught: number;
  readonly harmless: number;
  /** Harmless changes that the gates let pass. */
  readonly passed: number;
}

/** A run did harm that its gates should have kept out. */
export interface IncidentRecord extends RecordCommon {
  readonly kind: "incident";
  readonly run: RunId;
  /** Of the run. */
  readonly level: Level;
  readonly what: "false_accept" | "revert" | "other";
  readonly why: string;
}

export type EvidenceRecord = DrillRecord | IncidentRecord;

export interface EvidenceQuery {
  readonly blueprint: string;
  readonly kind: EvidenceRecord["kind"];
  readonly limit: number;
  /** Opaque position from `next` of the page before. */
  readonly cursor?: string;
}

export interface EvidencePage {
  readonly records: readonly EvidenceRecord[];
  /** null: the last page. */
  readonly next: string | null;
}

export interface Evidence {
  /** Resolves when it would survive a power cut. */
  add(record: EvidenceRecord): Promise<void>;
  /** Newest first, in the order they were added. The cost of a page depends on its size, not on how many records there are. */
  list(query: EvidenceQuery): Promise<EvidencePage>;
}
