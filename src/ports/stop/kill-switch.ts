/**
 * KillSwitch: the durable flag that stops runs, from any process, with or without Pawl. It is asked before every effect, so
 * asking costs next to nothing. It needs no journal: it works while that is busy or broken.
 */
import type { RunId } from "../../base/ids.ts";

/** One run, or every run of the project and any that would begin. */
export type KillScope = RunId | "all";

export interface Pulled {
  readonly scope: KillScope;
  readonly by: string;
  readonly why: string;
  /** Since when. */
  readonly at: number;
  /** Where it is written: `.pawl/kill`, `STATE.md:12`. */
  readonly source: string;
  /** It is a line of a file that people write: only they can take it out. */
  readonly isForeign: boolean;
}

export interface Released {
  readonly released: readonly Pulled[];
  /** What is still pulled, and must be released by hand. */
  readonly left: Pulled | null;
}

export interface KillSwitch {
  /** Resolves when it would survive a power cut. Whoever pulled it first stays. */
  pull(pull: {
    readonly scope: KillScope;
    readonly by: string;
    readonly why: string;
    readonly at: number;
  }): Promise<void>;
  /** Why the run may not go on, or with "all" why nothing may; at most a moment late. Throws when that cannot be known. */
  pulled(scope: KillScope): Pulled | null;
  /** Calls back once, soon after the switch is pulled for the run, at once if it is. Returns the function that ends the watch. */
  watch(run: RunId, onPull: (pulled: Pulled) => void): () => void;
  /** Lets go of one run, or of everything. For people: nothing in Pawl calls it unasked, except for a run that has ended. */
  release(scope: KillScope): Promise<Released>;
}
