/** What the loops of one place keep, apart from the journal: opened only by what needs it. */

import type { Admissions } from "./admissions.ts";
import type { Board } from "./board.ts";
import type { Jobs } from "./jobs.ts";
import type { Slots } from "./slots.ts";

/** The process that has a database to itself right now, for as long as its transaction takes; if it stands still, nobody else can write. */
export interface Writer {
  readonly pid: number;
  /** With `pid` its name: an id may be used again. */
  readonly startTicks: number;
  /** Since when it runs. */
  readonly since: number;
  /** What it has used of the processor: as long as that is the same it has done nothing. */
  readonly workedTicks: number;
  /** By a signal, such as Ctrl-Z. */
  readonly isStopped: boolean;
}

export interface LoopStore {
  readonly jobs: Jobs;
  /** What the coordinator keeps. */
  readonly board: Board;
  /** What runs here; of the machine when the store lies in the state folder of the user. */
  readonly admissions: Admissions;
  readonly slots: Slots;
  /** Other processes of this machine that are inside a transaction on anything stored here, the journal too. Answers also while nobody can write. */
  writers(): Promise<readonly Writer[]>;
  /** What this process has claimed is free again. */
  /** As of a `Store`. */
  isOutdated(): boolean;
  close(): Promise<void>;
}
