/**
 * The law of the ledger: for every cap, settled + reserved + asked ≤ cap, with what those before it in line are waiting for counted as
 * reserved. The strictest cap wins. What is larger than a cap is refused at once and for ever.
 */
import { type Account, type Cap, isSameAccount, type Unit } from "./cap.ts";
import { asksAgainAt, claimOf, placeOf, standingBefore, type Waiter, waiterAfter } from "./line.ts";
import type { Refused, Reservation, Reserved } from "./reservation.ts";
import { firstQuarter, leavesWeek, nextDay } from "./windows.ts";

/** What the law reads of the books. Each answer costs the same however long the history is. */
export interface Books {
  /** Settled in all, and held by open reservations. */
  total(account: Account, unit: Unit): { readonly spent: number; readonly reserved: number };
  /** Settled before the quarter began. */
  before(account: Account, unit: Unit, quarter: number): number;
  /** The first quarter, from `first` on, at the end of which at least `amount` was settled in all. */
  reaching(account: Account, unit: Unit, first: number, amount: number): number;
  line(): readonly Waiter[];
}

export interface Judgement {
  readonly answer: Reserved;
  /** Its place in line from now on; null: it has none. */
  readonly waiter: Waiter | null;
}

/** From here on, in hundredths of a cap, a run may only report. */
const DEGRADED_PERCENT = 80;
/** What others hold comes free when they end, and nobody knows when. Those before one are served when they ask again, or leave. */
const ASK_AGAIN_MS = 30_000;
const ASK_AT_LEAST_MS = 3_600_000;

export function judge(books: Books, asking: Reservation): Judgement {
  const { at, accounts, caps, wait } = asking;
  const line = books.line();
  const place = placeOf(line, asking);
  const ahead = standingBefore(line, place, at);
  const refusals: Refused[] = [];
  let degraded: Cap | null = null;
  for (const cap of caps) {
    if (!accounts.some((account) => isSameAccount(account, cap.account))) continue;
    const seen = look(books, cap, asking, ahead);
    if (!fits(cap, seen)) refusals.push(refusalOf(books, cap, seen, asking));
    else if (seen.asked > 0 && isDegraded(cap, seen)) degraded ??= cap;
  }
  const before = line.find(({ who }) => who === place.who);
  const [first, ...others] = refusals;
  if (first === undefined) return { answer: { granted: true, degraded }, waiter: null };
  const answer = others.reduce(strictest, first);
  if (!wait) return { answer, waiter: before ?? null };
  const refusing = refusals.map(({ cap }) => cap);
  return { answer, waiter: waiterAfter(before, asking, answer, refusing) };
}

/** Settled in the window of the cap at this time. */
export function spentIn(
  books: Books,
  cap: Pick<Cap, "account" | "unit" | "window" | "offsetMinutes">,
  at: number,
): number {
  const { spent } = books.total(cap.account, cap.unit);
  const first = firstQuarter(cap, at);
  return first === null ? spent : spent - books.before(cap.account, cap.unit, first);
}

interface Seen {
  readonly asked: number;
  readonly spent: number;
  readonly reserved: number;
  /** What those before it are waiting for, and how many they are. */
  readonly claimed: number;
  readonly waiting: number;
  /** When the first in line asks again, for whom all of them wait; at once without them. */
  readonly movesAt: number;
}

function look(books: Books, cap: Cap, { amounts, at }: Reservation, ahead: readonly Waiter[]): Seen {
  const spent = spentIn(books, cap, at);
  const claiming = ahead.filter((waiter) => claimOf(waiter, cap, spent) > 0);
  return {
    asked: amounts[cap.unit] ?? 0,
    spent,
    reserved: books.total(cap.account, cap.unit).reserved,
    claimed: claiming.reduce((sum, waiter) => sum + claimOf(waiter, cap, spent), 0),
    waiting: claiming.length,
    movesAt: claiming[0] === undefined ? at : asksAgainAt(claiming[0]),
  };
}

/** Who asks for nothing of the unit takes nothing from those who wait; but nobody goes on under a cap that is overdrawn. */
function fits({ amount }: Cap, { asked, spent, reserved, claimed }: Seen): boolean {
  return spent + reserved + asked + (asked === 0 ? 0 : claimed) <= amount;
}

function isDegraded({ amount }: Cap, { spent, reserved }: Seen): boolean {
  return (spent + reserved) * 100 >= amount * DEGRADED_PERCENT;
}

function refusalOf(books: Books, cap: Cap, seen: Seen, { at }: Reservation): Refused {
  const { asked, spent, reserved, waiting } = seen;
  return { granted: false, cap, spent, reserved, asked, freesAt: freesAt(books, cap, seen, at), ahead: waiting };
}

function freesAt(books: Books, cap: Cap, { asked, spent, reserved, movesAt }: Seen, at: number): number | null {
  const { account, unit, window, amount } = cap;
  if (asked > amount) return null;
  // Only those before it are in the way: nothing changes before they do.
  if (spent + reserved + asked <= amount) return Math.min(Math.max(at + ASK_AGAIN_MS, movesAt), at + ASK_AT_LEAST_MS);
  if (spent + asked <= amount) return at + ASK_AGAIN_MS;
  const first = firstQuarter(cap, at);
  if (first === null) return null;
  if (window === "day") return nextDay(cap, at);
  return leavesWeek(books.reaching(account, unit, first, books.total(account, unit).spent + asked - amount));
}

function strictest(a: Refused, b: Refused): Refused {
  return (b.freesAt ?? Number.POSITIVE_INFINITY) > (a.freesAt ?? Number.POSITIVE_INFINITY) ? b : a;
}
