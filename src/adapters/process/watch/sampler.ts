/** Looks at a tree of processes again and again: soon at first, never so often that looking becomes work. */
import type { Tree, TreeSample } from "./tree.ts";

export interface Sampler {
  /** Looks now; also for whoever cannot wait for the next turn. */
  look(): void;
  stop(): void;
}

const FIRST_MS = 40;
/** The part of the time that may go into looking is one of so many. */
const SPARE = 20;

/** `everyMs` is the longest time between two looks of a tree that is quickly looked at. */
export function createSampler(
  tree: Tree,
  options: { readonly everyMs: number; readonly most: number },
  onSample: (sample: TreeSample) => void,
): Sampler {
  let pauseMs = Math.min(FIRST_MS, options.everyMs);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = (): void => {
    clearTimeout(timer);
    const from = performance.now();
    onSample(tree.look(options.most));
    const cost = performance.now() - from;
    pauseMs = Math.max(Math.min(2 * pauseMs, options.everyMs), SPARE * cost);
    if (!isStopped) timer = setTimeout(look, pauseMs);
  };
  timer = setTimeout(look, pauseMs);
  return {
    look,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
