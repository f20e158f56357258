/** The exact rank test of Mann and Whitney: free of assumptions about how noise is distributed. */

/**
 * The chance that, of two samples of the same source with `m` and `n` values, the second beats the first in at least `wins` of the
 * `m · n` pairs.
 */
export function rankChance(m: number, n: number, wins: number): number {
  // rows[size][k]: how likely k wins are when the second sample has `size` values; without a first sample there are none.
  let rows: number[][] = Array.from({ length: n + 1 }, () => [1]);
  for (let first = 1; first <= m; first += 1) rows = addFirst(rows, first);
  return (rows[n] as number[]).slice(wins).reduce((sum, share) => sum + share, 0);
}

/** With one more value in the first sample: the greatest of all values is of the second sample, and beats the whole first one, or it is not. */
function addFirst(rows: readonly number[][], first: number): number[][] {
  const next: number[][] = [[1]];
  for (let size = 1; size < rows.length; size += 1) {
    const isOfSecond = size / (first + size);
    const row = new Array<number>(first * size + 1).fill(0);
    (next[size - 1] as number[]).forEach((share, wins) => {
      row[wins + first] = (row[wins + first] as number) + share * isOfSecond;
    });
    (rows[size] as number[]).forEach((share, wins) => {
      row[wins] = (row[wins] as number) + share * (1 - isOfSecond);
    });
    next.push(row);
  }
  return next;
}
