/** What waits for the next commit. What finds the file taken by another process waits on, and is asked for again after a moment. */

export interface Queue<T> {
  add(task: T): void;
  /** Everything, in the order it came; nothing while a moment is waited for. */
  take(): readonly T[];
  /** The file was taken, and nothing of it was done. Returns those that have waited long enough; the others wait on, before all that came later. */
  putBack(batch: readonly T[]): readonly T[];
  /** Nothing is waited for any more. */
  hurry(): void;
}

/** Between two times that a write is asked for again. */
const PAUSE_MS = 25;

/** `again`: it is time to take. */
export function createQueue<T extends object>(patienceMs: number, again: () => void): Queue<T> {
  const since = new WeakMap<T, number>();
  let waiting: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  const hurry = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const goOn = (): void => {
    hurry();
    again();
  };
  return {
    add: (task) => void waiting.push(task),
    take() {
      if (timer !== undefined) return [];
      const taken = waiting;
      waiting = [];
      return taken;
    },
    putBack(batch) {
      const now = performance.now();
      const isOver = (task: T): boolean => now - (since.get(task) ?? now) >= patienceMs;
      for (const task of batch) if (!since.has(task)) since.set(task, now);
      waiting = [...batch.filter((task) => !isOver(task)), ...waiting];
      if (waiting.length > 0) timer = setTimeout(goOn, PAUSE_MS);
      return batch.filter(isOver);
    },
    hurry,
  };
}
