/** What is known of one loop when somebody asks why nothing happens. Every fact is of now; only `last` speaks of what is over. */
import type { Status, StopReason } from "../../run/reasons.ts";

export interface OpenStage {
  readonly stage: string;
  readonly attempt: number;
  readonly since: number;
  /** What its process last said, with nothing in it that a terminal would obey; null: nothing yet, or it has no process. */
  readonly lastLine: string | null;
}

export interface OpenQuestion {
  readonly id: string;
  readonly stage: string;
  readonly why: string;
  readonly askedAt: number;
  /** null: it stays open. */
  readonly expiresAt: number | null;
}

/** Who resumes a run that was answered. */
export interface ResumeOutlook {
  /** A server does, unless it has tried. */
  readonly isServed: boolean;
  /** Why a server could not; null: none has tried, or it is not over. */
  readonly refusal: string | null;
}

/** How a run stands that is not over. */
export type Standing =
  | { readonly as: "running"; readonly since: number; readonly stages: readonly OpenStage[] }
  /** It should be running and no process hosts it; `since`: when it was last heard of. */
  | { readonly as: "lost"; readonly since: number }
  | {
      readonly as: "awaiting_approval";
      readonly since: number;
      readonly questions: readonly OpenQuestion[];
      /** Of a run that was answered. */
      readonly outlook?: ResumeOutlook;
    }
  /** `until`: when it frees or resets by itself; null: not by itself. `detail`: what it waits for. */
  | ({ readonly as: "awaiting_budget" | "awaiting_quota"; readonly since: number } & Awaited)
  | { readonly as: "paused"; readonly since: number; readonly by: string };

interface Awaited {
  readonly detail: string;
  readonly until: number | null;
}

export interface OpenRun {
  readonly run: string;
  readonly stands: Standing;
}

/** A breaker that lets nothing of this loop pass. */
export interface OpenBreaker {
  readonly target: string;
  readonly since: number;
  readonly why: string;
  /** null: not by itself. */
  readonly until: number | null;
}

/** A cap of which nothing is left for a next run. */
export interface SpentCap {
  readonly cap: string;
  readonly freesAt: number | null;
}

export interface EndedRun {
  readonly run: string;
  readonly status: Status;
  readonly reason: StopReason;
  readonly at: number;
  readonly stage: string | null;
  readonly detail: string | null;
}

export interface PulledSwitch {
  readonly by: string;
  readonly why: string;
  readonly at: number;
  /** The only run it was pulled for; null: for all. */
  readonly run: string | null;
  /** The line of a file that people wrote, and only they take out; null: `pawl kill --release` does. */
  readonly line: string | null;
}

/** It shall run, and the coordinator does not let it yet. */
export interface HeldBack {
  readonly kind: "path_lock" | "max_open";
  readonly what: string;
  readonly since: number | null;
}

export interface LoopFacts {
  readonly loop: string;
  readonly pulled: PulledSwitch | null;
  /** The newest first. */
  readonly open: readonly OpenRun[];
  readonly breakers: readonly OpenBreaker[];
  readonly spent: readonly SpentCap[];
  readonly held: HeldBack | null;
  /** The newest run, when it is over. */
  readonly last: EndedRun | null;
}
