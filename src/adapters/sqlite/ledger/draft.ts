/**
 * What one transaction adds to the books: many that reserve and settle together touch the same few pages, so each is read once and
 * written once. The last to ask sees all that was added before it. Nothing is remembered from one transaction to the next: another
 * process may have written in between.
 */
import { type Account, type Amounts, accountName, spentUnits, type Unit } from "../../../limits/ledger/cap.ts";
import type { Books } from "../../../limits/ledger/judge.ts";
import type { Waiter } from "../../../limits/ledger/line.ts";
import { quarterOf } from "../../../limits/ledger/windows.ts";
import type { Database } from "../driver.ts";
import { createSqliteBooks, type SqliteBooks } from "./books.ts";
import type { SqliteLine } from "./line.ts";

export interface Draft extends Books, SqliteLine {
  /** What was committed. */
  readonly stored: SqliteBooks;
  /** Adds to what the accounts hold; with -1, takes it away. */
  hold(accounts: readonly Account[], amounts: Amounts, sign: 1 | -1): void;
  /** Adds to what the accounts have spent. */
  book(accounts: readonly Account[], amounts: Amounts, at: number): void;
  /** Before the commit. */
  flush(): void;
  /** After a rollback. */
  drop(): void;
}

interface DraftPage {
  readonly account: Account;
  readonly unit: Unit;
  spent: number;
  reserved: number;
  /** Not written yet. */
  more: Addition | null;
}

interface Addition {
  spent: number;
  reserved: number;
  /** What was spent in each quarter. */
  readonly quarters: Map<number, number>;
}

export function createDraft(db: Database): Draft {
  const books = createSqliteBooks(db);
  const pages = createPages(books);
  const line = createLine(books);
  const forget = (): void => {
    pages.forget();
    line.forget();
  };
  const each = (accounts: readonly Account[], amounts: Amounts, change: (page: DraftPage, amount: number) => void) => {
    const units = spentUnits(amounts);
    for (const account of accounts)
      for (const unit of units) change(pages.open(account, unit), amounts[unit] as number);
  };
  return {
    stored: books,
    ...line,
    total: pages.open,
    before(account, unit, quarter) {
      pages.writeQuarters(account, unit);
      return books.before(account, unit, quarter);
    },
    reaching(account, unit, first, amount) {
      pages.writeQuarters(account, unit);
      return books.reaching(account, unit, first, amount);
    },
    hold(accounts, amounts, sign) {
      each(accounts, amounts, (page, amount) => pages.add(page, 0, sign * amount));
    },
    book(accounts, amounts, at) {
      const quarter = quarterOf(at);
      each(accounts, amounts, (page, amount) => {
        const { quarters } = pages.add(page, amount, 0);
        if (page.account.scope !== "run") quarters.set(quarter, (quarters.get(quarter) ?? 0) + amount);
      });
    },
    flush() {
      pages.write();
      forget();
    },
    drop: forget,
  };
}

function createPages(books: SqliteBooks) {
  const pages = new Map<string, DraftPage>();
  /** In the order in which they were changed. */
  const changed = new Set<DraftPage>();

  function open(account: Account, unit: Unit): DraftPage {
    const name = `${accountName(account)} ${unit}`;
    const known = pages.get(name);
    if (known !== undefined) return known;
    const { spent, reserved } = books.total(account, unit);
    const page: DraftPage = { account, unit, spent, reserved, more: null };
    pages.set(name, page);
    return page;
  }

  function write(page: DraftPage, { spent, reserved, quarters }: Addition): void {
    const id = books.add(page.account, page.unit, spent, reserved);
    for (const [quarter, amount] of quarters) books.addToQuarter(id, quarter, amount);
    page.more = null;
  }

  return {
    open,
    add(page: DraftPage, spent: number, reserved: number): Addition {
      page.spent += spent;
      page.reserved += reserved;
      page.more ??= { spent: 0, reserved: 0, quarters: new Map() };
      page.more.spent += spent;
      page.more.reserved += reserved;
      changed.add(page);
      return page.more;
    },
    /** Quarters are read where they are stored. */
    writeQuarters(account: Account, unit: Unit): void {
      const page = open(account, unit);
      if (page.more !== null && page.more.quarters.size > 0) write(page, page.more);
    },
    write(): void {
      for (const page of changed) if (page.more !== null) write(page, page.more);
    },
    forget(): void {
      pages.clear();
      changed.clear();
    },
  };
}

/** The line is read once, and again when it has changed. */
function createLine(books: SqliteLine): SqliteLine & { forget(): void } {
  let known: readonly Waiter[] | null = null;
  const line = (): readonly Waiter[] => {
    known ??= books.line();
    return known;
  };
  return {
    line,
    putWaiter(waiter) {
      books.putWaiter(waiter);
      known = null;
    },
    dropWaiter(who) {
      if (!line().some((waiter) => waiter.who === who)) return;
      books.dropWaiter(who);
      known = null;
    },
    forget() {
      known = null;
    },
  };
}
