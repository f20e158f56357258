/** Collisions after the fact: what a run has changed, against what others work on and what was merged since it began. */
import { compileSome, pathParts } from "../../base/match/glob.ts";
import type { PathLock } from "./locks.ts";

export interface Touched {
  readonly loop: string;
  readonly id: string;
  readonly paths: readonly string[];
}

/** One sentence for each other loop or change, with the first path of both. Its own loop does not count. */
export function collisionsOf(
  { loop, paths }: Touched,
  held: readonly PathLock[],
  merged: readonly Touched[],
): readonly string[] {
  const places = paths.map((path) => ({ path, parts: pathParts(path) }));
  const working = held.flatMap((lock) => {
    const covers = compileSome(lock.paths);
    const found = lock.loop === loop ? undefined : places.find(({ parts }) => covers(parts));
    return found === undefined ? [] : [`loop ${lock.loop} works on ${found.path}`];
  });
  const own = new Set(paths);
  const over = merged.flatMap((other) => {
    const path = other.paths.find((each) => own.has(each));
    return path === undefined ? [] : [`${other.id} of loop ${other.loop} has changed ${path}`];
  });
  return [...working, ...over];
}
