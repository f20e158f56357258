/** The store of loops in memory. Stores opened on the same state see each other's jobs, as processes do that share a file. */
import { pawlError } from "../../../base/errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { LoopStore } from "../../../ports/loops/loop-store.ts";
import { createMemoryAdmissions } from "./admissions.ts";
import { createMemoryBoard } from "./board.ts";
import { createMemoryJobs } from "./jobs.ts";
import { createLoopState, type LoopState, type Worker } from "./loop-state.ts";
import { createMemorySlots } from "./slots.ts";

export interface MemoryLoopsOptions {
  readonly clock: Clock;
  /** A new one if not given. */
  readonly state?: LoopState;
  /** The clock of leases; see LoopParts of the SQLite adapter. */
  readonly uptime: () => number;
}

export function createMemoryLoops({ clock, state = createLoopState(), uptime }: MemoryLoopsOptions): LoopStore {
  const self: Worker = { pid: process.pid, hostname: "memory", since: clock.now(), alive: true };
  const place = state.workers.push(self) - 1;

  async function guarded<T>(work: () => T): Promise<T> {
    if (!self.alive) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file: "memory" });
    return work();
  }

  const parts = { state, self, guarded, uptime };
  return {
    board: createMemoryBoard(state, guarded, place),
    jobs: createMemoryJobs(parts),
    admissions: createMemoryAdmissions(parts),
    slots: createMemorySlots({ schedules: state.schedules, guarded }),
    // One process, and nothing waits inside a transaction.
    writers: async () => [],
    isOutdated: () => false,
    async close() {
      self.alive = false;
    },
  };
}
