/** Deadline: the time one stage may take, inside the life of its run. */
import type { Clock } from "../../ports/clock.ts";
import { createHalt, type Halt } from "./halt.ts";

export interface Deadline {
  /** Ends when the time is over ("stop") or with the run. */
  readonly halt: Halt;
  /** Resolves with null when that happens. */
  readonly over: Promise<null>;
  /** Whether the time of the stage itself ran out. */
  isLate(): boolean;
  /** Forgets the timer; to be called when the work has ended. */
  clear(): void;
}

export function createDeadline(timeoutMs: number, clock: Clock, run: Halt): Deadline {
  const halt = createHalt();
  let late = false;
  const over = new Promise<null>((resolve) => {
    halt.onEnd(() => resolve(null));
  });
  const callOff = clock.after(timeoutMs, () => {
    late = true;
    halt.end("stop");
  });
  const forget = run.onEnd(halt.end);
  return {
    halt,
    over,
    isLate: () => late,
    clear() {
      callOff();
      forget();
    },
  };
}
