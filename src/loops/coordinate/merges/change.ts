/**
 * A change that a run hands in, from the proposal to its end.
 *
 *   open ──── a person accepts ────▶ queued ──▶ merged
 *     │                                └──────▶ returned   the gates, or git, do not let it in
 *     └──── a person says no ────▶ rejected
 */
import type { RunId } from "../../../base/ids.ts";

export type ChangeState = "open" | "queued" | "merged" | "returned" | "rejected";

export interface Change {
  readonly id: string;
  readonly run: RunId;
  readonly loop: string;
  /** Fingerprint of the plan whose gates have passed it. */
  readonly plan: string;
  readonly into: string;
  readonly branch: string;
  readonly base: string;
  readonly source: string;
  readonly priority: number;
  readonly at: number;
}

export interface ChangeRecord extends Change {
  readonly state: ChangeState;
  /** Since when it stands so. */
  readonly since: number;
  /** Who accepted or rejected it; null: nobody was asked. */
  readonly by: string | null;
  readonly why: string | null;
  /** What it became on the branch. */
  readonly commit: string | null;
  /** Others that worked on the same paths. */
  readonly collisions: readonly string[];
}

/** One change for each commit that a run hands in: handing it in again is handing it in once. */
export function changeId(run: RunId, source: string): string {
  return `${run}-${source.slice(0, 12)}`;
}

const NEXT: Readonly<Record<ChangeState, readonly ChangeState[]>> = {
  open: ["queued", "merged", "rejected"],
  queued: ["merged", "returned", "rejected"],
  // What was sent back may be tried again, and what was rejected may be accepted after all.
  returned: ["queued", "rejected"],
  rejected: ["queued"],
  merged: [],
};

export function mayBecome(from: ChangeState, to: ChangeState): boolean {
  return NEXT[from].includes(to);
}

export function become(
  record: ChangeRecord,
  to: ChangeState,
  facts: Partial<Pick<ChangeRecord, "by" | "why" | "commit">> & { readonly at: number },
): ChangeRecord {
  const { at: since, ...rest } = facts;
  return { ...record, why: null, ...rest, state: to, since };
}
