/** The machine: what a run says it takes is held while it runs, beside everything else of this user that runs here. Nothing is opened for a run without a weight. */
import { availableParallelism, totalmem } from "node:os";
import { sharedAttempt } from "../../base/shared-attempt.ts";
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
  const store = sharedAttempt(open);
  /** What is over and not yet stored as such: asked for until it is, so that nobody waits for what nobody uses. */
  const over = new Set<string>();
  let closed = false;

  async function giveBack(): Promise<void> {
    try {
      for (const key of over) {
        await (await store.kept())?.admissions.leave(key);
        over.delete(key);
      }
    } catch (error) {
      if (over.size > 0) clock.after(PAUSE_MS, () => void giveBack().catch(() => undefined));
      throw error;
    }
  }

  async function enter(key: string, weight: Weight): Promise<string | null> {
    if (isNothing(weight)) return null;
    const { admissions } = await store.get();
    await giveBack();
    const most = total() ?? { memoryBytes: totalmem(), cpus: availableParallelism() };
    const answer = await admissions.ask({ key, weight, total: most });
    return answer.admitted ? null : answer.why;
  }

  return {
    enter,
    async leave(key) {
      if (!closed) over.add(key);
      await giveBack();
    },
    async wait(key, weight, { signal, onWait }) {
      let told: string | null = null;
      for (let why = await enter(key, weight); why !== null && !signal.aborted; why = await enter(key, weight)) {
        if (why !== told) onWait(why);
        told = why;
        if (!signal.aborted) await pause(clock, signal);
      }
    },
    async close() {
      closed = true;
      over.clear();
      await (await store.kept())?.close();
    },
  };
}

function pause(clock: MachineParts["clock"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(PAUSE_MS, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
