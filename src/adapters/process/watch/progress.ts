/**
 * Progress: whether something of a tree of processes moved on between two looks. A compiler that prints nothing uses
 * the processor, a download moves bytes; a process that waits does neither, but for the noise of being alive.
 */
import type { TreeSample } from "./tree.ts";

/** The share of one processor that a waiting process may use for its timers. */
const NOISE_CPU = 0.02;
/** The kernel counts in ticks of 10 ms: one more may be the last drop of many. */
const NOISE_CPU_MS = 20;
const NOISE_BYTES_PER_MS = 16;
const NOISE_BYTES = 4096;

export interface Progress {
  /** True when there was progress since the last call. */
  compare(sample: TreeSample, nowMs: number): boolean;
}

export function createProgress(): Progress {
  let last: (TreeSample & { readonly at: number }) | undefined;
  return {
    compare: (sample, nowMs) => {
      const before = last;
      last = { ...sample, at: nowMs };
      if (before === undefined) return true;
      const elapsed = nowMs - before.at;
      const cpuMs = sample.cpuMs - before.cpuMs;
      // What a process has moved goes with it when nobody of the tree collects it: a change downwards is a change.
      const bytes = Math.abs(sample.transferBytes - before.transferBytes);
      return (
        // On a machine that is choked, work may wait long for a processor.
        sample.runs ||
        cpuMs >= Math.max(NOISE_CPU_MS, elapsed * NOISE_CPU) ||
        bytes >= Math.max(NOISE_BYTES, elapsed * NOISE_BYTES_PER_MS)
      );
    },
  };
}
