/** The ledger in memory: the same law as on disk, over maps. */
import { pawlError } from "../../../base/errors.ts";
import { type Amounts, amountProblem } from "../../../limits/ledger/cap.ts";
import { addAmounts, chargeFor } from "../../../limits/ledger/charge.ts";
import { type Books, judge } from "../../../limits/ledger/judge.ts";
import { isForgotten, type Waiter } from "../../../limits/ledger/line.ts";
import { bookProblems, replayEntries } from "../../../limits/ledger/replay.ts";
import type { Entry, Reservation, Reserved } from "../../../limits/ledger/reservation.ts";
import { LEDGER_ERRORS } from "../../../ports/errors/ledger-errors.ts";
import type { Ledger, OpenPage, OpenQuery } from "../../../ports/store/ledger.ts";
import { bookIn, holdIn, type MemoryPages, readerOf, standingIn } from "./pages.ts";

export interface MemoryBooks {
  readonly entries: Map<string, Entry>;
  readonly pages: MemoryPages;
  readonly line: Map<string, Waiter>;
}

export function createMemoryBooks(): MemoryBooks {
  return { entries: new Map(), pages: new Map(), line: new Map() };
}

interface LedgerParts {
  readonly books: MemoryBooks;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryLedger({ books, guarded }: LedgerParts): Ledger {
  const { pages, line } = books;
  const reader = readerOf(pages, line);
  return {
    reserve: (asking) =>
      guarded(() => {
        requireCountable(asking.key, asking.amounts);
        return grantAgain(books, asking) ?? reserve(books, reader, asking);
      }),
    settle: (key, actual, at) => guarded(() => settle(books, key, actual, at)),
    withdraw: (key) => guarded(() => withdraw(books, key)),
    usage: (keyPrefix) => guarded(() => usageOf(books, keyPrefix)),
    count: (keyPrefix) => guarded(() => below(books, keyPrefix).length),
    standing: (accounts, at, offsetMinutes = 0) =>
      guarded(() => accounts.flatMap((account) => standingIn(pages, reader, account, at, offsetMinutes))),
    open: (query) => guarded(() => openPage(books, query)),
  };
}

/** Where the books differ from what was reserved and settled. */
export function memoryBookProblems({ entries, pages }: MemoryBooks): readonly string[] {
  return bookProblems(replayEntries(entries.values()), pages.values());
}

function requireCountable(key: string, amounts: Amounts): void {
  const problem = amountProblem(amounts);
  if (problem !== undefined) throw pawlError(LEDGER_ERRORS, "LEDGER_AMOUNT_INVALID", { key, problem });
}

function reserve(books: MemoryBooks, reader: Books, asking: Reservation): Reserved {
  const { line } = books;
  const { answer, waiter } = judge(reader, asking);
  if (answer.granted) enter(books, asking);
  if (waiter === null) line.delete(asking.waiter ?? asking.key);
  else line.set(waiter.who, waiter);
  for (const other of [...line.values()]) if (isForgotten(other, asking.at)) line.delete(other.who);
  return answer;
}

/** null: the key is new. */
function grantAgain({ entries }: MemoryBooks, { key, outright }: Reservation): Reserved | null {
  const known = entries.get(key);
  if (known === undefined) return null;
  if (known.settled !== null && outright !== true) throw pawlError(LEDGER_ERRORS, "LEDGER_KEY_SPENT", { key });
  return { granted: true, degraded: null };
}

function enter({ entries, pages }: MemoryBooks, { key, at, accounts, amounts, outright }: Reservation): void {
  const settled = outright === true ? { spent: amounts, at } : null;
  entries.set(key, { key, at, accounts, asked: amounts, settled });
  if (settled === null) holdIn(pages, accounts, amounts, 1);
  else bookIn(pages, accounts, amounts, at);
}

function settle({ entries, pages }: MemoryBooks, key: string, actual: Amounts | "unknown", at: number): Amounts | null {
  if (actual !== "unknown") requireCountable(key, actual);
  const entry = entries.get(key);
  if (entry === undefined || entry.settled !== null) return entry?.settled?.spent ?? null;
  const spent = chargeFor(entry.asked, actual);
  entries.set(key, { ...entry, settled: { spent, at } });
  holdIn(pages, entry.accounts, entry.asked, -1);
  bookIn(pages, entry.accounts, spent, at);
  return spent;
}

function withdraw({ entries, pages, line }: MemoryBooks, key: string): void {
  line.delete(key);
  const entry = entries.get(key);
  if (entry === undefined || entry.settled !== null) return;
  entries.delete(key);
  holdIn(pages, entry.accounts, entry.asked, -1);
}

function below({ entries }: MemoryBooks, keyPrefix: string): readonly Entry[] {
  return [...entries.values()].filter(({ key }) => key.startsWith(`${keyPrefix}/`));
}

function usageOf(books: MemoryBooks, keyPrefix: string): Amounts {
  let sum: Amounts = {};
  for (const { asked, settled } of below(books, keyPrefix)) sum = addAmounts(sum, settled?.spent ?? asked);
  return sum;
}

function openPage({ entries }: MemoryBooks, { prefix, limit, cursor }: OpenQuery): OpenPage {
  const most = Math.max(0, Math.trunc(limit));
  const found = [...entries.values()]
    .filter(({ key, settled }) => settled === null && (prefix === undefined || key.startsWith(`${prefix}/`)))
    .filter(({ key }) => cursor === undefined || key > cursor)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = found.slice(0, most);
  return {
    reservations: page.map(({ key, at, accounts, asked }) => ({ key, at, accounts, amounts: asked })),
    next: found.length > most ? (page.at(-1)?.key ?? null) : null,
  };
}
