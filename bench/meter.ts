/** Meter: counts stage bodies and measures the time from one body of a run to its next. */
import type { Meter } from "./system.ts";

const RESULT = "x".repeat(100);

export interface StageMeter extends Meter {
  readonly stages: () => number;
  /** The run has ended: its last stage is counted with the time to this call. */
  ended(run: string): void;
  /** Microseconds of each stage since the last `reset`. */
  readonly latencies: () => readonly number[];
  reset(): void;
}

export function createStageMeter(): StageMeter {
  const lastBody = new Map<string, number>();
  let latencies: number[] = [];
  let stages = 0;
  const lap = (run: string, now: number): void => {
    const last = lastBody.get(run);
    if (last !== undefined) latencies.push((now - last) * 1000);
  };
  return {
    body(run) {
      const now = performance.now();
      lap(run, now);
      lastBody.set(run, now);
      stages += 1;
      return RESULT;
    },
    ended(run) {
      lap(run, performance.now());
      lastBody.delete(run);
    },
    stages: () => stages,
    latencies: () => latencies,
    reset() {
      latencies = [];
      stages = 0;
    },
  };
}
