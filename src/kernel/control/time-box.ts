/**
 * TimeBox: work on the workspace of a stage ends with the stage. It has the time of the stage and a little more, so that a process that
 * used all of it can still be saved. When the run ends, what was done so far is worth a moment; when its host leaves, the next host
 * does it.
 */
import { formatDuration } from "../../base/duration.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Finished, failure } from "../flight.ts";
import { orRefusal } from "../refusal.ts";
import type { Halt, HaltReason } from "./halt.ts";

/** Beyond the `timeout` of the stage. */
const SAVE_GRACE_MS = 30_000;
/** After the end of the run or of its host. `pawl kill` ends every process of the run a moment later. */
const END_GRACE_MS: Readonly<Record<HaltReason, number>> = { stop: 5000, kill: 300, drain: 0 };

const ENDED: Readonly<Record<HaltReason, string>> = {
  stop: "the run is ending",
  kill: "the run was killed",
  drain: "its host is leaving",
};

export interface TimeBox {
  readonly signal: AbortSignal;
  /** What a stage fails with whose work was refused: a refusal after the end of the time says that. */
  failureFor(refusal: string, otherwise: Finished["cause"]): Finished;
  /** Forgets its timers; to be called when the work has ended. */
  close(): void;
}

export function openTimeBox(timeoutMs: number, clock: Clock, halt: Halt): TimeBox {
  const controller = new AbortController();
  let cause: Finished["cause"] | null = null;
  const cancels: (() => void)[] = [];
  const end = (why: Finished["cause"], words: string): void => {
    cause ??= why;
    controller.abort(words);
  };
  cancels.push(
    clock.after(timeoutMs + SAVE_GRACE_MS, () =>
      end(
        "timeout",
        `its time was over (${formatDuration(timeoutMs)} of the stage and ${formatDuration(SAVE_GRACE_MS)})`,
      ),
    ),
    halt.onEnd((reason) => {
      const graceMs = END_GRACE_MS[reason];
      if (graceMs === 0) end("killed", ENDED[reason]);
      else cancels.push(clock.after(graceMs, () => end("killed", ENDED[reason])));
    }),
  );
  return {
    signal: controller.signal,
    failureFor: (refusal, otherwise) => failure(cause ?? otherwise, refusal),
    close() {
      for (const cancel of cancels) cancel();
    },
  };
}

/** What a workspace refuses is the end of the stage; anything else that goes wrong, a full disk too, is the end of its host. */
export type Boxed<T> = { readonly value: T } | { readonly refusal: Finished };

/** Work on a workspace in a box of its own. `otherwise`: the cause when it is refused for another reason than its time. */
export async function inTimeBox<T>(
  { timeoutMs, clock, halt }: { readonly timeoutMs: number; readonly clock: Clock; readonly halt: Halt },
  otherwise: Finished["cause"],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Boxed<T>> {
  const box = openTimeBox(timeoutMs, clock, halt);
  try {
    const done = await orRefusal(work(box.signal));
    return "value" in done ? done : { refusal: box.failureFor(done.refusal, otherwise) };
  } finally {
    box.close();
  }
}

/** What is left of the time of a stage whose process has begun then. */
export function timeLeft(timeoutMs: number, begunAt: number, clock: Clock): number {
  return Math.min(timeoutMs, Math.max(0, timeoutMs - (clock.now() - begunAt)));
}
