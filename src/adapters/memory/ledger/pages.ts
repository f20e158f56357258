/** The pages of the ledger in memory: of each account and unit what was spent, when, and what is held. */
import {
  type Account,
  type Amounts,
  accountName,
  isSameAccount,
  spentUnits,
  type Unit,
} from "../../../limits/ledger/cap.ts";
import { type Books, spentIn } from "../../../limits/ledger/judge.ts";
import type { Waiter } from "../../../limits/ledger/line.ts";
import type { Page } from "../../../limits/ledger/replay.ts";
import { quarterOf } from "../../../limits/ledger/windows.ts";
import type { Standing } from "../../../ports/store/ledger.ts";

interface MemoryPage extends Page {
  spent: number;
  reserved: number;
  readonly quarters: [quarter: number, upTo: number][];
}

export type MemoryPages = Map<string, MemoryPage>;

/** Adds to what the accounts hold; with -1, takes it away. */
export function holdIn(pages: MemoryPages, accounts: readonly Account[], amounts: Amounts, sign: 1 | -1): void {
  each(pages, accounts, amounts, (page, amount) => {
    page.reserved += sign * amount;
  });
}

/** Adds to what the accounts have spent. */
export function bookIn(pages: MemoryPages, accounts: readonly Account[], amounts: Amounts, at: number): void {
  each(pages, accounts, amounts, (page, amount) => {
    page.spent += amount;
    if (page.account.scope !== "run") bookQuarter(page, quarterOf(at), amount);
  });
}

/** A settlement that comes late is counted in its own quarter, and in all after it. */
function bookQuarter({ quarters }: MemoryPage, quarter: number, amount: number): void {
  const place = quarters.findLastIndex(([each]) => each <= quarter);
  const last = quarters[place];
  const isThere = last?.[0] === quarter;
  if (!isThere) quarters.splice(place + 1, 0, [quarter, last?.[1] ?? 0]);
  for (const each of quarters.slice(isThere ? place : place + 1)) each[1] += amount;
}

export function standingIn(
  pages: MemoryPages,
  books: Books,
  account: Account,
  at: number,
  offsetMinutes: number,
): Standing[] {
  const own = [...pages.values()].filter((page) => isSameAccount(page.account, account));
  return own.map(({ unit, reserved }) => {
    const spent = (window: "run" | "day" | "week"): number =>
      spentIn(books, { account, unit, window, offsetMinutes }, at);
    return { account, unit, spent: { run: spent("run"), day: spent("day"), week: spent("week") }, reserved };
  });
}

/** What the law reads. */
export function readerOf(pages: MemoryPages, line: ReadonlyMap<string, Waiter>): Books {
  const find = (account: Account, unit: Unit): MemoryPage | undefined => pages.get(pageName(account, unit));
  return {
    total: (account, unit) => find(account, unit) ?? { spent: 0, reserved: 0 },
    before: (account, unit, quarter) => find(account, unit)?.quarters.findLast(([each]) => each < quarter)?.[1] ?? 0,
    reaching(account, unit, first, amount) {
      const found = find(account, unit)?.quarters.find(([quarter, upTo]) => quarter >= first && upTo >= amount);
      return found?.[0] ?? first;
    },
    line: () => [...line.values()],
  };
}

function each(
  pages: MemoryPages,
  accounts: readonly Account[],
  amounts: Amounts,
  change: (page: MemoryPage, amount: number) => void,
): void {
  for (const account of accounts) {
    for (const unit of spentUnits(amounts)) {
      const name = pageName(account, unit);
      const page = pages.get(name) ?? { account, unit, spent: 0, reserved: 0, quarters: [] };
      pages.set(name, page);
      change(page, amounts[unit] as number);
    }
  }
}

function pageName(account: Account, unit: Unit): string {
  return `${accountName(account)} ${unit}`;
}
