/** The ledger on SQLite. Each reservation is judged and held inside one transaction, which it may share with others: the last to ask sees all before it. */
import { pawlError } from "../../../base/errors.ts";
import { type Account, type Amounts, amountProblem } from "../../../limits/ledger/cap.ts";
import { addAmounts, chargeFor } from "../../../limits/ledger/charge.ts";
import { judge, spentIn } from "../../../limits/ledger/judge.ts";
import { isForgotten } from "../../../limits/ledger/line.ts";
import { bookProblems, replayEntries } from "../../../limits/ledger/replay.ts";
import type { Entry, Reservation, Reserved } from "../../../limits/ledger/reservation.ts";
import { LEDGER_ERRORS } from "../../../ports/errors/ledger-errors.ts";
import type { Ledger, OpenPage, OpenQuery, Standing } from "../../../ports/store/ledger.ts";
import type { Database } from "../driver.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { SqliteBooks } from "./books.ts";
import type { Draft } from "./draft.ts";
import { createSqliteEntries, type SqliteEntries } from "./entries.ts";

interface LedgerParts {
  readonly db: Database;
  /** Written with the transaction of each commit. */
  readonly draft: Draft;
  readonly commits: GroupCommit;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

const MOST_RESERVATIONS = 10_000;
/** The character after `/`: keys below a prefix lie between the two. */
const AFTER_SLASH = "0";
/** Sorts after every character of a key. */
const AFTER_ALL = "\u{10ffff}";

export interface SqliteLedger extends Ledger {
  /** Where the books differ from what was reserved and settled. */
  problems(): readonly string[];
}

/** As a transaction sees it. */
interface Kept {
  readonly books: Draft;
  readonly entries: SqliteEntries;
}

export function createSqliteLedger({ db, draft, commits, guarded }: LedgerParts): SqliteLedger {
  const entries = createSqliteEntries(db);
  const kept: Kept = { books: draft, entries };
  return {
    reserve: (asking) =>
      commits.run(() => {
        requireCountable(asking.key, asking.amounts);
        return () => reserve(kept, asking);
      }, "in_turn"),
    settle: (key, actual, at) =>
      commits.run(() => {
        if (actual !== "unknown") requireCountable(key, actual);
        return () => settle(kept, key, actual, at);
      }, "in_turn"),
    withdraw: (key) => commits.run(() => () => withdraw(kept, key), "in_turn"),
    usage: (keyPrefix) => guarded(() => usageOf(entries, keyPrefix)),
    count: (keyPrefix) => guarded(() => [...below(entries, keyPrefix)].length),
    standing: (accounts, at, offsetMinutes = 0) =>
      guarded(() => accounts.flatMap((account) => standingOf(draft.stored, account, at, offsetMinutes))),
    open: (query) => guarded(() => openPage(entries, query)),
    problems: () => bookProblems(replayEntries(entries.all()), draft.stored.pages()),
  };
}

function requireCountable(key: string, amounts: Amounts): void {
  const problem = amountProblem(amounts);
  if (problem !== undefined) throw pawlError(LEDGER_ERRORS, "LEDGER_AMOUNT_INVALID", { key, problem });
}

function reserve(kept: Kept, asking: Reservation): Reserved {
  const { books } = kept;
  const known = grantAgain(kept, asking);
  if (known !== null) return known;
  const { answer, waiter } = judge(books, asking);
  if (answer.granted) enter(kept, asking);
  if (waiter === null) books.dropWaiter(asking.waiter ?? asking.key);
  else {
    books.putWaiter(waiter);
    for (const other of books.line()) if (isForgotten(other, asking.at)) books.dropWaiter(other.who);
  }
  return answer;
}

/** null: the key is new. */
function grantAgain({ entries }: Kept, { key, outright }: Reservation): Reserved | null {
  const known = entries.get(key);
  if (known === undefined) return null;
  if (known.settled !== null && outright !== true) throw pawlError(LEDGER_ERRORS, "LEDGER_KEY_SPENT", { key });
  return { granted: true, degraded: null };
}

function enter({ books, entries }: Kept, { key, at, accounts, amounts, outright }: Reservation): void {
  const settled = outright === true ? { spent: amounts, at } : null;
  entries.add({ key, at, accounts, asked: amounts, settled });
  if (settled === null) books.hold(accounts, amounts, 1);
  else books.book(accounts, amounts, at);
}

function settle({ books, entries }: Kept, key: string, actual: Amounts | "unknown", at: number): Amounts | null {
  const entry = entries.get(key);
  if (entry === undefined || entry.settled !== null) return entry?.settled?.spent ?? null;
  const spent = chargeFor(entry.asked, actual);
  entries.settle(key, spent, at);
  books.hold(entry.accounts, entry.asked, -1);
  books.book(entry.accounts, spent, at);
  return spent;
}

function withdraw({ books, entries }: Kept, key: string): void {
  books.dropWaiter(key);
  const entry = entries.getOpen(key);
  if (entry === null) return;
  entries.remove(key);
  books.hold(entry.accounts, entry.asked, -1);
}

function below(entries: SqliteEntries, keyPrefix: string): Iterable<Entry> {
  return entries.between(`${keyPrefix}/`, `${keyPrefix}${AFTER_SLASH}`);
}

function usageOf(entries: SqliteEntries, keyPrefix: string): Amounts {
  let sum: Amounts = {};
  for (const { asked, settled } of below(entries, keyPrefix)) sum = addAmounts(sum, settled?.spent ?? asked);
  return sum;
}

function standingOf(books: SqliteBooks, account: Account, at: number, offsetMinutes: number): Standing[] {
  return books.units(account).map(({ unit, reserved }) => {
    const spent = (window: "run" | "day" | "week"): number =>
      spentIn(books, { account, unit, window, offsetMinutes }, at);
    return { account, unit, spent: { run: spent("run"), day: spent("day"), week: spent("week") }, reserved };
  });
}

function openPage(entries: SqliteEntries, { prefix, limit, cursor }: OpenQuery): OpenPage {
  const most = Math.max(0, Math.min(Math.trunc(limit), MOST_RESERVATIONS));
  const [first, last] = prefix === undefined ? ["", AFTER_ALL] : [`${prefix}/`, `${prefix}${AFTER_SLASH}`];
  const from = cursor === undefined || cursor < first ? first : cursor;
  const found = entries.openBetween(from, last, most + 1);
  const page = found.slice(0, most);
  return {
    reservations: page.map(({ key, at, accounts, asked }) => ({ key, at, accounts, amounts: asked })),
    next: found.length > most ? (page.at(-1)?.key ?? null) : null,
  };
}
