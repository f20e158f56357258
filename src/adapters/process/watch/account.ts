/** What a process and everything it started have used, put together from what was seen of it. */
import { availableParallelism } from "node:os";
import type { ResourceUse } from "../../../run/events.ts";
import type { GroupFacts } from "./group.ts";
import { countOomKills, readProcess } from "./proc.ts";
import type { TreeSample } from "./tree.ts";

/** The kernel counts in ticks. */
const TICK_MS = 10;
const MOMENT_MS = 1000;

/** How often the system has killed for want of memory, not longer ago than a moment; undefined: it does not say. */
export function createOomCount(): () => number | undefined {
  let kills: { readonly count: number | undefined; readonly at: number } | undefined;
  return () => {
    const at = performance.now();
    if (kills === undefined || at - kills.at > MOMENT_MS) kills = { count: countOomKills(), at };
    return kills.count;
  };
}

export interface Account {
  add(sample: TreeSample): void;
  settle(outputBytes: number, group: GroupFacts | null): ResourceUse;
}

/**
 * What was used since the last look is in what this process has collected of its children by then, together with what
 * others used that ended meanwhile. Of a process that ends before it is looked at nothing is known.
 */
export function createAccount(collectedMs: () => number = readCollected): Account {
  let seen: { readonly cpuMs: number; readonly at: number } | undefined;
  let before = 0;
  let peakBytes = 0;
  const cpuOf = ({ cpuMs, at }: NonNullable<typeof seen>): number => {
    const most = cpuMs + (performance.now() - at) * availableParallelism() + TICK_MS;
    return Math.min(Math.max(cpuMs, collectedMs() - before), most);
  };
  return {
    add: ({ cpuMs, memoryBytes }) => {
      if (seen === undefined) before = collectedMs();
      seen = { cpuMs, at: performance.now() };
      peakBytes = Math.max(peakBytes, memoryBytes);
    },
    settle: (outputBytes, group) => {
      const cpuMs = group?.cpuMs ?? (seen === undefined ? 0 : cpuOf(seen));
      const told = group !== null && group.oomKills > 0 ? (group.peakBytes ?? 0) : 0;
      return { cpuMs: Math.round(cpuMs), peakBytes: Math.max(peakBytes, told), outputBytes };
    },
  };
}

function readCollected(): number {
  return readProcess("self")?.collectedMs ?? 0;
}
