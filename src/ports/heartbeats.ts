/** Heartbeats: what each process of a run is doing, for whoever looks on. Never the truth about a run: that is its journal. */
import type { RunId } from "../base/ids.ts";
import type { Cause } from "../run/events.ts";

export interface Heartbeat {
  readonly run: RunId;
  /** Path of the stage. */
  readonly stage: string;
  readonly attempt: number;
  readonly round?: number;
  readonly state: "starting" | "running" | "ended";
  /** How it ended. */
  readonly cause?: Cause;
  /** Of the child, on this machine; null: there is none yet, or none any more. */
  readonly pid: number | null;
  /** One line without secrets. */
  readonly command: string;
  /** Where its output is written while it runs. */
  readonly logPath: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly at: number;
  readonly elapsedMs: number;
  readonly outputBytes: number;
  /** Of output, lately. */
  readonly bytesPerSecond: number;
  /** Time until it ends, when it takes as long as it has taken before; null: nobody knows. */
  readonly etaMs: number | null;
  /** The last line of its output, without secrets and with nothing in it that a terminal would obey. */
  readonly lastLine: string;
  readonly cpuMs: number;
  /** Right now. */
  readonly memoryBytes: number;
}

/** Keeps the last heartbeat of each stage of a run. */
export interface Heartbeats {
  /**
   * Takes the place of the heartbeat of the same stage. Never fails and never waits: a heartbeat that cannot be kept is
   * lost. A reader in another process may see it a moment later.
   */
  beat(fact: Heartbeat): void;
  /** Those of one run, by stage; without those that cannot be read. */
  read(run: RunId): Promise<readonly Heartbeat[]>;
  /** Runs that have heartbeats. */
  runs(): Promise<readonly RunId[]>;
  /** Forgets those of one run. Resolves when none is left. */
  clear(run: RunId): Promise<void>;
}
