/** The machine: what a run says it takes is held while it runs, beside everything else of this user that runs here. Nothing is opened for a run without a weight. */
import { availableParallelism, totalmem } from "node:os";
import { isNothing, type Weight } from "../../limits/admission/admission.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoopStore } from "../../ports/loops/loop-store.ts";

export interface Machine {
  /** null: it may begin, and holds its weight until `leave`; a text: why it must wait. To be asked again within ten seconds. */
  enter(key: string, weight: Weight): Promise<string | null>;
  leave(key: string): Promise<void>;
  /** Asks until it may begin, or the signal is aborted. Tells why it waits, each time the reason is another. */
  wait(key: string, weight: Weight, watch: MachineWatch): Promise<void>;
  /** What is held is free. */
  close(): Promise<void>;
}

interface MachineWatch {
  readonly signal: AbortSignal;
  onWait(why: string): void;
}

interface MachineParts {
  readonly open: () => Promise<Pick<LoopStore, "admissions" | "close">>;
  readonly clock: Pick<Clock, "after">;
  /** What all together may take; null: as much as there is. */
  readonly total: () => Weight | null;
}

const PAUSE_MS = 500;

export function createMachine({ open, clock, total }: MachineParts): Machine {
  let opened: ReturnType<MachineParts["open"]> | null = null;

  async function enter(key: string, weight: Weight): Promise<string | null> {
    if (isNothing(weight)) return null;
    opened ??= open();
    const most = total() ?? { memoryBytes: totalmem(), cpus: availableParallelism() };
    const answer = await (await opened).admissions.ask({ key, weight, total: most });
    return answer.admitted ? null : answer.why;
  }

  return {
    enter,
    async leave(key) {
      await (await opened)?.admissions.leave(key);
    },
    async wait(key, weight, { signal, onWait }) {
      let told: string | null = null;
      for (let why = await enter(key, weight); why !== null && !signal.aborted; why = await enter(key, weight)) {
        if (why !== told) onWait(why);
        told = why;
        await new Promise<void>((resolve) => {
          clock.after(PAUSE_MS, resolve);
        });
      }
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
