/** How long commands have taken so far, to say how long they may take. Kept for the newest of them only. */

export interface History {
  expectedMs(argv: readonly string[]): number | null;
  add(argv: readonly string[], ms: number): void;
}

const MOST = 256;

export function createHistory(): History {
  const times = new Map<string, { readonly count: number; readonly meanMs: number }>();
  const keyOf = (argv: readonly string[]): string => argv.join("\0");
  return {
    expectedMs: (argv) => {
      const past = times.get(keyOf(argv));
      return past === undefined ? null : Math.round(past.meanMs);
    },
    add: (argv, ms) => {
      const key = keyOf(argv);
      const past = times.get(key) ?? { count: 0, meanMs: 0 };
      const count = past.count + 1;
      times.delete(key);
      times.set(key, { count, meanMs: past.meanMs + (ms - past.meanMs) / count });
      const [oldest] = times.keys();
      if (times.size > MOST && oldest !== undefined) times.delete(oldest);
    },
  };
}
