/** Work on one thing is done one after the other; work on different things does not wait. */
export interface Turns {
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** The caller has its value as soon as there is one; the next turn begins when `settled` has resolved. */
  takeEarly<T>(key: string, work: () => Promise<{ readonly value: T; readonly settled: Promise<unknown> }>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();

  const takeEarly: Turns["takeEarly"] = async (key, work) => {
    const turn = Promise.allSettled([last.get(key)]).then(work);
    const over = turn.then(({ settled }) => settled);
    last.set(key, over);
    const forget = (): void => {
      if (last.get(key) === over) last.delete(key);
    };
    over.then(forget, forget);
    return (await turn).value;
  };

  return {
    takeEarly,
    take: (key, work) => takeEarly(key, async () => ({ value: await work(), settled: Promise.resolve() })),
  };
}
