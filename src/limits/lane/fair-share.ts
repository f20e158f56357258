/**
 * Fair share: the callers of a lane take turns, whatever each has queued. A caller's tag says when its next job is due; the lane's
 * tag is that of the job it served last. The caller with the smallest tag is next and pays with the cost of one job, so a share of 3
 * is served three times as often as a share of 1. Who comes with nothing queued begins at the lane's tag: nobody saves up turns.
 *
 *   tag     0         1         2         3
 *   a, 1    a1        a2        a3        a4        served: a1 b1 b2 a2 b3 b4 a3 …
 *   b, 2    b1   b2   b3   b4   b5   b6   b7
 */

export interface Caller {
  readonly name: string;
  readonly tag: number;
  readonly share: number;
  /** Jobs that wait. */
  readonly queued: number;
  /** Number of the job with which it began to wait: of two that are due together, who has waited longer is first. */
  readonly since: number;
}

/** Divisible by every share, so that tags are whole numbers. */
const TURN = 720_720;
export const MOST_SHARE = 16;

export function isShare(share: number): boolean {
  return Number.isInteger(share) && share >= 1 && share <= MOST_SHARE;
}

export function costOf(share: number): number {
  return TURN / share;
}

/** Where a caller begins that had nothing queued. */
export function tagOnArrival(before: number, laneTag: number): number {
  return Math.max(before, laneTag);
}

/** Less than 0: `a` is served before `b`. */
export function compareCallers(a: Caller, b: Caller): number {
  return a.tag - b.tag || a.since - b.since;
}

/** How many jobs of the lane are served before the one of `who` that has `ahead` of its own before it. */
export function servedBefore(callers: readonly Caller[], who: Caller, ahead: number): number {
  const due = who.tag + ahead * costOf(who.share);
  const others = callers.filter(({ name }) => name !== who.name);
  return others.reduce((sum, other) => sum + dueBefore(other, due, other.since < who.since), ahead);
}

function dueBefore({ tag, share, queued }: Caller, due: number, winsTie: boolean): number {
  const cost = costOf(share);
  const turns = (due - tag) / cost;
  const served = winsTie ? Math.floor(turns) + 1 : Math.ceil(turns);
  return Math.min(queued, Math.max(0, served));
}

export interface Turn {
  readonly name: string;
  /** Which of the caller's jobs, from 0 on. */
  readonly index: number;
}

/** The next turns of a lane, at most `most`. */
export function nextTurns(callers: readonly Caller[], most: number): readonly Turn[] {
  const turns: Turn[] = [];
  const left = callers.filter(({ queued }) => queued > 0).map((caller) => ({ ...caller, index: 0 }));
  while (turns.length < most && left.length > 0) {
    left.sort(compareCallers);
    const next = left[0] as (typeof left)[number];
    turns.push({ name: next.name, index: next.index });
    next.index += 1;
    next.tag += costOf(next.share);
    if (next.index === next.queued) left.shift();
  }
  return turns;
}
