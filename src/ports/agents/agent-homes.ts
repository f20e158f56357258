/** AgentHomes: what an agent keeps from one attempt to the next, outside every workspace. */
import type { RunId } from "../../base/ids.ts";

/** Where a stage keeps what its agent needs to go on: outside every workspace, gone with the run. */
export interface AgentHome {
  readonly folder: string;
  /** The session that was kept last in this visit; null: there is none. */
  readonly session: string | null;
  /** Resolves when it would survive the end of this process. null: none is to be gone on with. */
  keep(session: string | null): Promise<void>;
}

export interface AgentHomes {
  /** The same folder for every attempt of the stage; no two stages share one. */
  open(run: RunId, stage: string, visit: number): Promise<AgentHome>;
  /** The run is over: its homes are removed. Idempotent. */
  leave(run: RunId): Promise<void>;
  /** Runs that have homes. */
  kept(): Promise<readonly RunId[]>;
}
