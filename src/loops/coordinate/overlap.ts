/**
 * Whether two globs can name one path, decided from their texts alone: what may overlap does. Upper and lower case are one, for on some
 * machines they are.
 */
import { alternatives, type PathParts, pathParts } from "../../base/match/glob.ts";

const MOST_ALTERNATIVES = 256;

/** The first glob of each list that overlap; null: no path is of both. */
export function overlapOf(some: readonly string[], others: readonly string[]): readonly [string, string] | null {
  for (const one of some) for (const other of others) if (mayOverlap(one, other)) return [one, other];
  return null;
}

export function mayOverlap(one: string, other: string): boolean {
  const [ones, others] = [one, other].map((glob) =>
    alternatives(glob.toLowerCase(), MOST_ALTERNATIVES)?.map(pathParts),
  );
  // What is no glob could be anything.
  if (ones === undefined || others === undefined) return true;
  return ones.some((a) => others.some((b) => partsOverlap(a, b)));
}

/** Where a path from the top of the file system leads, nobody knows here. */
function partsOverlap(a: PathParts, b: PathParts): boolean {
  if (a.from !== b.from) return a.from === "top" || b.from === "top";
  return meet(withBelow(a.names), withBelow(b.names), "**", namesMeet);
}

/** A plain path means also what lies below it. */
function withBelow(names: readonly string[]): readonly string[] {
  return names.some((name) => /[*?]/.test(name)) ? names : [...names, "**"];
}

function namesMeet(a: string, b: string): boolean {
  return meet([...a], [...b], "*", (one, other) => one === other || one === "?" || other === "?");
}

type Place = readonly [number, number];

/** Whether two rows of parts can stand for one row; both are read at once, and `many` takes any number of parts of the other. */
function meet(
  a: readonly string[],
  b: readonly string[],
  many: string,
  isSame: (one: string, other: string) => boolean,
): boolean {
  const isMany = (part: string | undefined): boolean => part === many;
  const next = ([i, j]: Place): readonly Place[] => {
    const [one, other] = [a[i], b[j]];
    if (isMany(one) || isMany(other))
      return [
        [i + 1, j],
        [i, j + 1],
      ];
    return one !== undefined && other !== undefined && isSame(one, other) ? [[i + 1, j + 1]] : [];
  };
  const seen = new Set<number>();
  const ways: Place[] = [[0, 0]];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const [i, j] = way;
    const place = i * (b.length + 1) + j;
    if (i > a.length || j > b.length || seen.has(place)) continue;
    if (i === a.length && j === b.length) return true;
    seen.add(place);
    ways.push(...next(way));
  }
  return false;
}
