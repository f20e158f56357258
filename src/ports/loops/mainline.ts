/**
 * Mainline: branches of the user onto which changes of runs are put, one commit for each change. Nothing here is a working tree: a change is
 * carried over in the object store, and a branch moves only from exactly the commit that was looked at.
 */
import type { RunId } from "../../base/ids.ts";

/** What a run made: everything between two commits. */
export interface Carried {
  /** Names the commit: what is carried twice is the same commit. */
  readonly key: string;
  readonly run: RunId;
  /** The branch that it shall go to. */
  readonly into: string;
  /** The branch of the run that keeps it. */
  readonly branch: string;
  /** The commit of the user that the run began with, and the last one of its branch. */
  readonly base: string;
  readonly source: string;
  /** When it was handed in: the time of the commit. */
  readonly at: number;
}

export type Stacked =
  /** `exact`: the tree is that of the source. */
  | { readonly commit: string; readonly exact: boolean }
  /** Everything of the change is there already. */
  | { readonly nothing: true }
  /** Paths that both have changed; empty: it cannot be carried over for another reason, told by `why`. */
  | { readonly conflicts: readonly string[]; readonly why: string };

export type Advanced =
  | { readonly moved: true }
  /** `why`: somebody was quicker, or a checkout of the branch holds what would be lost. Nothing has changed. */
  | { readonly moved: false; readonly raced: boolean; readonly why: string };

export interface Mainline {
  /**
   * What a run has committed, where that is exactly the tree `tree` of its workspace. Without `branch`, that of the run itself. Rejects with GIT_*.
   */
  proposal(run: RunId, tree: string, branch?: string | undefined): Promise<Pick<Carried, "branch" | "base" | "source">>;
  /** The branch that is checked out where the project lies; null: none is. */
  current(): Promise<string | null>;
  /** The commit that a branch points at; null: there is no such branch. */
  tip(branch: string): Promise<string | null>;
  /** Whether the commit is on the branch. */
  holds(branch: string, commit: string): Promise<boolean>;
  /** Makes the change on top of `onto`. The same change onto the same commit gives the same commit; no branch is moved. */
  stack(onto: string, change: Carried): Promise<Stacked>;
  /** Moves the branch from `from` to `to`, with its checkout if there is one. */
  advance(branch: string, from: string, to: string, key: string): Promise<Advanced>;
  /**
   * Puts right what an `advance` that was cut off has left: the checkout is where the branch is, and no lock of it stands. Rejects with GIT_* while
   * something is still at it.
   */
  mend(branch: string): Promise<void>;
  /** Paths that differ between two commits. */
  changed(from: string, to: string): Promise<readonly string[]>;
}
