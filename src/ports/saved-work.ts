/** What the vault holds of the work of runs, found without any journal, and the way to put it on branches. */
import type { RunId } from "../base/ids.ts";

export interface SavedTree {
  /** null: files of the project that a run began with, and nobody knows which run. */
  readonly run: RunId | null;
  /** `saved`, `left`, `kept`, `judged`, … as the vault names it; `found`: nothing names it any more; `start`: what a run began with. */
  readonly kind: string;
  /** Tells apart those of one kind. */
  readonly number: string;
  /** null: it does not say. */
  readonly stage: string | null;
  readonly attempt: number | null;
  /** When it was saved, in milliseconds since 1970. */
  readonly at: number;
  readonly commit: string;
  readonly tree: string;
  /** null: not all of it can be read. */
  readonly size: { readonly files: number; readonly bytes: number } | null;
}

export interface RestoredTree extends SavedTree {
  /** null: it could not be restored. */
  readonly branch: string | null;
  /** The branch was there already, with exactly this commit. */
  readonly wasThere: boolean;
  /** Why it could not be restored. */
  readonly problem: string | null;
}

export interface SavedWork {
  /** By run, oldest first. */
  list(): Promise<readonly SavedTree[]>;
  /** Puts each on a branch of its own, `pawl/recovered/<run>/<stage>-<kind>-<number>`. No branch is changed, and no checkout is touched. */
  restore(trees: readonly SavedTree[]): Promise<readonly RestoredTree[]>;
}
