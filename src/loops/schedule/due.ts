/**
 * What becomes of the next time of a loop. A loop is only asked about while none of its runs is open, so that a time which came
 * during a run and one which came while nobody was there are the same: late. What late times become is `catch_up`:
 *
 *   skip   nothing, but for one that is hardly late
 *   one    one run, for the newest of them
 *   all    a run for each, one after the other
 */
import type { Loop } from "../../blueprint/project/project-file.ts";
import { spread } from "./spread.ts";
import type { Times } from "./times.ts";

/** How a loop stands between two times; stored before anything is done about the first. */
export interface Armed {
  readonly next: number;
  /** When that was found out. */
  readonly armedAt: number;
}

/** Times that are given up, from the first to the last. */
export interface Missed {
  readonly from: number;
  readonly to: number;
}

export type Due =
  | { readonly kind: "wait"; readonly until: number }
  /** The clock was put back. */
  | { readonly kind: "rearm"; readonly next: number }
  | { readonly kind: "skip"; readonly next: number; readonly missed: Missed }
  | { readonly kind: "fire"; readonly time: number; readonly next: number; readonly missed: Missed | null };

export type Pacing = Pick<Loop, "name" | "catchUp" | "jitterMs">;

/** What is no later than this was not missed. */
const HARDLY_LATE_MS = 60_000;
/** Clocks are put right by as much all the time. */
const SLACK_MS = 1000;

/** When a time has its turn: the same in every process. */
export function wakeOf({ name, jitterMs }: Pacing, time: number): number {
  return time + spread(`${name} ${time} jitter`, jitterMs + 1);
}

export function dueOf(pacing: Pacing, times: Times, { next, armedAt }: Armed, now: number): Due {
  const until = wakeOf(pacing, next);
  if (until > now) {
    const sooner = armedAt > now + SLACK_MS ? times.first(pacing.name, now) : next;
    return sooner < next ? { kind: "rearm", next: sooner } : { kind: "wait", until };
  }
  if (pacing.catchUp === "all") return { kind: "fire", time: next, next: times.after(pacing.name, next), missed: null };
  const time = times.newest(next, now);
  const coming = times.coming(pacing.name, time, now);
  if (pacing.catchUp === "skip" && now - wakeOf(pacing, time) > HARDLY_LATE_MS)
    return { kind: "skip", next: coming, missed: { from: next, to: time } };
  return { kind: "fire", time, next: coming, missed: time === next ? null : { from: next, to: time } };
}
