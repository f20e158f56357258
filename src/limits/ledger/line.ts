/**
 * The line of those who wait for budget. Who stands before another is fixed when they come: a point of priority is worth some
 * time of waiting, so that whoever waits long enough stands first, and what those before one need is not given away.
 */
import { type Account, type Amounts, type Cap, capName, isSameAccount } from "./cap.ts";
import type { Refused, Reservation } from "./reservation.ts";

export interface Waiter {
  readonly who: string;
  /** When it came. */
  readonly since: number;
  readonly priority: number;
  readonly accounts: readonly Account[];
  readonly amounts: Amounts;
  /** Names of the caps that have refused it so far: only there does it stand in the way of others. */
  readonly blocked: readonly string[];
  /** Who has not asked again by then stands in nobody's way. */
  readonly until: number;
}

/** So much earlier does one come with each point of priority. */
const POINT_MS = 600_000;
/** How late one may be with asking again. */
const PATIENCE_MS = 2_700_000;

/** How long the place of one who does not come back is kept. */
const KEPT_MS = 7 * 86_400_000;

export function isForgotten({ until }: Waiter, at: number): boolean {
  return until + KEPT_MS < at;
}

type Place = Pick<Waiter, "who" | "since" | "priority">;

/** Where the reservation stands, also when it has just come. */
export function placeOf(line: readonly Waiter[], { key, waiter = key, at, priority }: Reservation): Place {
  const since = line.find(({ who }) => who === waiter)?.since ?? at;
  return { who: waiter, since, priority };
}

/** Those who stand before the place at this time, in their order. */
export function standingBefore(line: readonly Waiter[], place: Place, at: number): readonly Waiter[] {
  const ahead = line.filter((other) => other.who !== place.who && other.until > at && compare(other, place) < 0);
  return ahead.length < 2 ? ahead : ahead.sort(compare);
}

/** Of two that came at once, one is always first. */
function compare(a: Place, b: Place): number {
  return rankOf(a) - rankOf(b) || (a.who < b.who ? -1 : 1);
}

/** When the waiter was told to ask again. */
export function asksAgainAt({ until }: Waiter): number {
  return until - PATIENCE_MS;
}

function rankOf({ since, priority }: Place): number {
  return since - priority * POINT_MS;
}

/** What the waiter takes from others of this cap, which has `spent` settled. A day is over before it could be in the way of who waits for the next. */
export function claimOf({ accounts, amounts, blocked }: Waiter, cap: Cap, spent: number): number {
  const asked = amounts[cap.unit] ?? 0;
  const waitsHere = blocked.includes(capName(cap)) && accounts.some((account) => isSameAccount(account, cap.account));
  if (!waitsHere) return 0;
  return cap.window === "week" || spent + asked <= cap.amount ? asked : 0;
}

/** Its place in line after it was refused by `caps`; null: there is nothing to wait for. */
export function waiterAfter(
  before: Waiter | undefined,
  asking: Reservation,
  { freesAt }: Pick<Refused, "freesAt">,
  caps: readonly Cap[],
): Waiter | null {
  if (freesAt === null) return null;
  const { key, waiter: who = key, at, accounts, amounts, priority } = asking;
  const blocked = [...new Set([...(before?.blocked ?? []), ...caps.map(capName)])].sort();
  return { who, since: before?.since ?? at, priority, accounts, amounts, blocked, until: freesAt + PATIENCE_MS };
}
