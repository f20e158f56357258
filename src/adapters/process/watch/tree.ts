/**
 * A process and everything that it started, as far as it can still be found: children are looked up from the root, and
 * whoever was seen once is looked for again, also when its parent is gone.
 */
import { childrenOf, type ProcessFact, readProcess, readShare, readTransfer } from "./proc.ts";

export interface TreeSample {
  readonly processes: number;
  /** One of them runs, or would if a processor were free. */
  readonly runs: boolean;
  /** Of everything seen so far; never goes down. */
  readonly cpuMs: number;
  /** Right now. A page that two processes share counts twice. */
  readonly memoryBytes: number;
  /** Read and written by any call, by those that are there and by whomever they have collected. */
  readonly transferBytes: number;
}

export interface Tree {
  /** Looks at all of it; stops looking when there are more than `most`. */
  look(most: number): TreeSample;
  /** These are part of the wall: what they take is not counted, only what they do for others. */
  ignore(pids: readonly number[]): void;
  /** Those that the last look found alive; none before the first. */
  members(): readonly ProcessFact[];
  /** How many of those are there at the same instant: in one look one may end before the next is found, and both seem to be there. */
  together(): number;
  /** The memory of those that are there together, with shared pages counted once. */
  sharedMemory(): number;
}

/** What is read and written is counted only when someone wants to know: it takes a look of its own at each process. */
export function createTree(root: number, options: { readonly countsTransfer: boolean }): Tree {
  let seen = new Map<number, ProcessFact>();
  const ignored = new Set<number>();
  let lostMs = 0;
  let cpuMs = 0;

  /** What a process used that was collected by none of us would be forgotten with it. */
  const remember = (now: ReadonlyMap<number, ProcessFact>): void => {
    for (const [pid, fact] of seen) {
      if (!now.has(pid) && !seen.has(fact.parent)) lostMs += fact.cpuMs;
    }
  };
  const alive = (): readonly ProcessFact[] => [...seen.values()].filter((fact) => !fact.ended);
  const counted = (): readonly ProcessFact[] => alive().filter((fact) => !ignored.has(fact.pid));

  /** Whoever two looks have found was there between them; told as the second one found it. */
  const stillThere = (): readonly ProcessFact[] =>
    counted().flatMap(({ pid, startTicks }) => {
      const again = readProcess(pid);
      return again === undefined || again.ended || again.startTicks !== startTicks ? [] : [again];
    });
  /**
   * Shares are read first. Each only grows while others end, so those of whoever is there afterwards add up to no more
   * than they take then. One that is about to end has no share any more, and has given back what it took.
   */
  const sharedMemory = (): number => {
    const shares = new Map(counted().map(({ pid }) => [pid, readShare(pid)]));
    return stillThere().reduce((sum, { pid, memoryBytes }) => sum + (shares.get(pid) ?? memoryBytes), 0);
  };

  return {
    look: (most) => {
      const now = walk([root, ...seen.keys()], seen, most);
      if (now.size <= most) remember(now);
      seen = now;
      let spent = lostMs;
      let memoryBytes = 0;
      let transferBytes = 0;
      for (const fact of now.values()) {
        spent += fact.cpuMs;
        if (!ignored.has(fact.pid)) memoryBytes += fact.memoryBytes;
        if (options.countsTransfer) transferBytes += readTransfer(fact.pid);
      }
      cpuMs = Math.max(cpuMs, spent);
      const runs = [...now.values()].some((fact) => fact.runs);
      return { processes: counted().length, runs, cpuMs, memoryBytes, transferBytes };
    },
    ignore: (pids) => {
      for (const pid of pids) ignored.add(pid);
    },
    members: alive,
    together: () => stillThere().length,
    sharedMemory,
  };
}

function walk(from: readonly number[], seen: ReadonlyMap<number, ProcessFact>, most: number): Map<number, ProcessFact> {
  const found = new Map<number, ProcessFact>();
  const open = [...from];
  for (let pid = open.pop(); pid !== undefined && found.size <= most; pid = open.pop()) {
    if (found.has(pid)) continue;
    const fact = readProcess(pid);
    // An id that is used again belongs to someone else.
    if (fact === undefined || (seen.get(pid)?.startTicks ?? fact.startTicks) !== fact.startTicks) continue;
    found.set(pid, fact);
    if (!fact.ended) open.push(...childrenOf(fact));
  }
  return found;
}
