/** Chance that can be repeated: the same seed gives the same run. */

export interface Chance {
  /** 0 ≤ x < 1 */
  next(): number;
  int(below: number): number;
  hit(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function chance(seed: number): Chance {
  let a = (seed * 0x9e3779b1) >>> 0;
  const next = (): number => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    hit: (probability) => next() < probability,
    pick: (list) => list[int(list.length)] as never,
  };
}
