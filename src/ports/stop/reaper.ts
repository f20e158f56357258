/** Reaper: ends processes of runs that other processes host. For a kill: whoever hosts them may hang. */
import type { RunId } from "../../base/ids.ts";
import type { Holder } from "../store/run-index.ts";

export interface Reaped {
  /** Processes that were ended. */
  readonly ended: number;
  /** Ids of those that could not be. */
  readonly left: readonly number[];
}

export interface Reaper {
  /** Ends every process that a stage of these runs has started, at once, wherever it has moved. Resolves when they are gone. */
  endRuns(runs: readonly RunId[]): Promise<Reaped>;
  /**
   * Ends a host of this project and whatever it has started; nothing was left to end if it is gone already. null: it is on another machine,
   * or its id is that of a process which is no host of this project, and nothing was done.
   */
  endHost(holder: Holder): Promise<Reaped | null>;
}
