import { expect, it } from "vitest";
import { rankChance } from "./rank-chance.ts";

/** By counting: every way to choose which places in the order belong to the second sample. */
function counted(m: number, n: number, wins: number): number {
  let hits = 0;
  let all = 0;
  for (let choice = 0; choice < 2 ** (m + n); choice += 1) {
    const isSecond = Array.from({ length: m + n }, (_, place) => ((choice >> place) & 1) === 1);
    if (isSecond.filter(Boolean).length !== n) continue;
    let firstSoFar = 0;
    let found = 0;
    for (const second of isSecond) {
      if (second) found += firstSoFar;
      else firstSoFar += 1;
    }
    all += 1;
    hits += found >= wins ? 1 : 0;
  }
  return hits / all;
}

it("is what counting gives", () => {
  for (let m = 1; m <= 5; m += 1) {
    for (let n = 1; n <= 5; n += 1) {
      for (let wins = 0; wins <= m * n; wins += 1) expect(rankChance(m, n, wins)).toBeCloseTo(counted(m, n, wins), 12);
    }
  }
});
