/** What the loops of one place keep, apart from the journal: opened only by what needs it. */

import type { Admissions } from "./admissions.ts";
import type { Board } from "./board.ts";
import type { Jobs } from "./jobs.ts";
import type { Slots } from "./slots.ts";

export interface LoopStore {
  readonly jobs: Jobs;
  /** What the coordinator keeps. */
  readonly board: Board;
  /** What runs here; of the machine when the store lies in the state folder of the user. */
  readonly admissions: Admissions;
  readonly slots: Slots;
  /** What this process has claimed is free again. */
  close(): Promise<void>;
}
