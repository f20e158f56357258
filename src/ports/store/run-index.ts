/** RunIndex: questions over many runs. The cost of an answer depends on its size, not on how many runs there are. */
import type { RunId } from "../../base/ids.ts";
import type { Status, StopReason, WaitReason } from "../../run/reasons.ts";

export interface RunRow {
  readonly run: RunId;
  readonly blueprint: string;
  readonly plan: string;
  readonly status: Status;
  readonly reason: StopReason | WaitReason | null;
  readonly parent: RunId | null;
  /** It is part of a drill. */
  readonly drill?: true;
  readonly createdAt: number;
  /** Time of the newest event. */
  readonly updatedAt: number;
  /** Seq of the newest event. */
  readonly events: number;
  /** Who hosts the run now. null with status `running` means that its process was lost. */
  readonly holder: Holder | null;
}

export interface Holder {
  readonly pid: number;
  readonly hostname: string;
  readonly since: number;
}

export interface RunQuery {
  readonly status?: Status;
  readonly blueprint?: string;
  /** Only children of this run. Without it, only runs that no other run and no drill started. */
  readonly parent?: RunId;
  /** Only runs of drills. */
  readonly drills?: true;
  /** Opaque position from `next` of the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

/** From `from` on and before `until`. */
export interface EndQuery extends Pick<RunQuery, "cursor" | "limit"> {
  readonly from: number;
  readonly until: number;
}

export interface RunPage {
  readonly rows: readonly RunRow[];
  /** null: the last page. */
  readonly next: string | null;
}

export interface RunIndex {
  /** Newest first. */
  list(query: RunQuery): Promise<RunPage>;
  /** Runs that no other run and no drill started and that ended in this time, in the order of their end. */
  ended(query: EndQuery): Promise<RunPage>;
  get(run: RunId): Promise<RunRow | undefined>;
  /** Runs whose id begins with `prefix`, at most `limit`; `@last` is the newest run that no other run and no drill started. */
  find(prefix: string, limit: number): Promise<readonly RunRow[]>;
  /** Names of blueprints that have runs which no other run and no drill started, in order, those after `after`. */
  blueprints(after: string, limit: number): Promise<readonly string[]>;
}
