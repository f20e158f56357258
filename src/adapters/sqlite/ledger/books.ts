/** The books of the ledger on SQLite: totals are kept, never summed, so that each look and each change is a few places of an index. */
import type { Account, Unit } from "../../../limits/ledger/cap.ts";
import type { Books } from "../../../limits/ledger/judge.ts";
import type { Page } from "../../../limits/ledger/replay.ts";
import type { Database } from "../driver.ts";
import { createSqliteLine, type SqliteLine } from "./line.ts";

export interface SqliteBooks extends Books, SqliteLine {
  /** Adds to what is spent and held on a page, which is made when it is not there, and says its number. */
  add(account: Account, unit: Unit, spent: number, reserved: number): number;
  /** Counts it in this quarter and in all after it: a settlement may come late. */
  addToQuarter(page: number, quarter: number, amount: number): void;
  units(account: Account): readonly { readonly unit: Unit; readonly reserved: number }[];
  pages(): Iterable<Page>;
}

interface PageRow {
  readonly id: number;
  readonly spent: number;
  readonly reserved: number;
}

const WHERE = "scope = ?1 AND name = ?2 AND unit = ?3";

/** What the law reads; a test explains them. */
export const BOOKS_SQL = {
  total: `SELECT id, spent, reserved FROM ledger_pages WHERE ${WHERE}`,
  before: "SELECT up_to AS upTo FROM ledger_quarters WHERE page = ?1 AND quarter < ?2 ORDER BY quarter DESC LIMIT 1",
  reaching:
    "SELECT quarter FROM ledger_quarters WHERE page = ?1 AND quarter >= ?2 AND up_to >= ?3 ORDER BY quarter LIMIT 1",
} as const;

export function createSqliteBooks(db: Database): SqliteBooks {
  const total = db.prepare<PageRow>(BOOKS_SQL.total);
  const before = db.prepare<{ upTo: number }>(BOOKS_SQL.before);
  const reaching = db.prepare<{ quarter: number }>(BOOKS_SQL.reaching);
  const add = db.prepare<{ id: number }>(
    `INSERT INTO ledger_pages(scope, name, unit, spent, reserved) VALUES(?1, ?2, ?3, ?4, ?5)
     ON CONFLICT(scope, name, unit) DO UPDATE SET spent = spent + excluded.spent, reserved = reserved + excluded.reserved
     RETURNING id`,
  );
  const openQuarter = db.prepare(
    `INSERT INTO ledger_quarters(page, quarter, up_to) VALUES(?1, ?2, coalesce(
       (SELECT up_to FROM ledger_quarters WHERE page = ?1 AND quarter < ?2 ORDER BY quarter DESC LIMIT 1), 0))
     ON CONFLICT DO NOTHING`,
  );
  const fillQuarters = db.prepare("UPDATE ledger_quarters SET up_to = up_to + ?3 WHERE page = ?1 AND quarter >= ?2");
  const units = db.prepare<{ unit: Unit; reserved: number }>(
    "SELECT unit, reserved FROM ledger_pages WHERE scope = ?1 AND name = ?2 ORDER BY id",
  );
  const allPages = db.prepare<PageRow & Account & { unit: Unit }>(
    "SELECT id, scope, name, unit, spent, reserved FROM ledger_pages ORDER BY id",
  );
  const quartersOf = db.prepare<{ quarter: number; upTo: number }>(
    "SELECT quarter, up_to AS upTo FROM ledger_quarters WHERE page = ?1 ORDER BY quarter",
  );

  const find = ({ scope, name }: Account, unit: Unit): PageRow | undefined => total.get(scope, name, unit);

  return {
    ...createSqliteLine(db),
    total: (account, unit) => find(account, unit) ?? { spent: 0, reserved: 0 },
    before(account, unit, quarter) {
      const page = find(account, unit);
      return page === undefined ? 0 : (before.get(page.id, quarter)?.upTo ?? 0);
    },
    reaching(account, unit, first, amount) {
      const page = find(account, unit);
      return (page === undefined ? undefined : reaching.get(page.id, first, amount)?.quarter) ?? first;
    },
    add: ({ scope, name }, unit, spent, reserved) => (add.get(scope, name, unit, spent, reserved) as { id: number }).id,
    addToQuarter(page, quarter, amount) {
      openQuarter.get(page, quarter);
      fillQuarters.get(page, quarter, amount);
    },
    units: ({ scope, name }) => units.all(scope, name),
    *pages() {
      for (const { id, scope, name, unit, spent, reserved } of allPages.iterate()) {
        const quarters = quartersOf.all(id).map(({ quarter, upTo }): [number, number] => [quarter, upTo]);
        yield { account: { scope, name }, unit, spent, reserved, quarters };
      }
    },
  };
}
