/**
 * Windows: how much of what was settled a cap still counts. Time is cut into quarters of an hour, and a quarter leaves a window
 * only when all of it is out: a window may count a little too much for a quarter of an hour, and never too little.
 */
import type { Cap } from "./cap.ts";

const QUARTER_MS = 900_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS);
}

type Span = Pick<Cap, "account" | "window" | "offsetMinutes">;

/** The first quarter that counts at this time; null: everything counts. What a run has spent is not forgotten while it lives. */
export function firstQuarter({ account, window, offsetMinutes }: Span, at: number): number | null {
  if (window === "run" || account.scope === "run") return null;
  return quarterOf(window === "day" ? dayStart(at, offsetMinutes) : at - WEEK_MS);
}

/** When the calendar day of the cap ends. */
export function nextDay({ offsetMinutes }: Pick<Cap, "offsetMinutes">, at: number): number {
  return dayStart(at, offsetMinutes) + DAY_MS;
}

/** When the quarter is wholly out of the rolling week. */
export function leavesWeek(quarter: number): number {
  return (quarter + 1) * QUARTER_MS + WEEK_MS;
}

function dayStart(at: number, offsetMinutes = 0): number {
  const shift = offsetMinutes * MINUTE_MS;
  return Math.floor((at + shift) / DAY_MS) * DAY_MS - shift;
}
