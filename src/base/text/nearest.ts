/** "Did you mean …?": the known name a mistyped one most likely stands for. */

const LONGEST = 64;

/** The nearest of `names`, or undefined when none is close enough to be a slip of the hand. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted === "" || wanted.length > LONGEST) return undefined;
  let best: string | undefined;
  let allowed = wanted.length < 3 ? 1 : 2;
  for (const candidate of names) {
    const distance = editDistance(wanted, plain(candidate), allowed);
    if (distance > allowed || distance >= wanted.length) continue;
    best = candidate;
    allowed = distance - 1;
    if (allowed < 0) break;
  }
  return best;
}

/** Case and word separators are not what people mistype a name by. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/**
 * Insertions, deletions, replacements and swaps of neighbours between `a` and `b`; more than `allowed` once it cannot be
 * less. Only the diagonal band that can still win is computed, so long lists of long names stay cheap.
 */
function editDistance(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return allowed + 1;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  let current: number[] = [];
  for (let i = 1; i <= a.length; i += 1) {
    const first = Math.max(1, i - allowed);
    const last = Math.min(b.length, i + allowed);
    current[first - 1] = first === 1 ? i : allowed + 1;
    let least = current[first - 1] as number;
    for (let j = first; j <= last; j += 1) {
      const cell = Math.min(stepCost(a, b, i, j, previous, current), swapCost(a, b, i, j, older));
      current[j] = cell;
      least = Math.min(least, cell);
    }
    if (least > allowed) return allowed + 1;
    current[last + 1] = allowed + 1;
    [older, previous, current] = [previous, current, older];
  }
  return previous[b.length] as number;
}

function stepCost(a: string, b: string, i: number, j: number, previous: number[], current: number[]): number {
  const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
  return Math.min(replaced, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
}

function swapCost(a: string, b: string, i: number, j: number, older: number[]): number {
  const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return isSwap ? (older[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
}
