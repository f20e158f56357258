/** The entries of the ledger on SQLite: one row for each reservation, kept for ever, found by its key. */
import type { Account, Amounts } from "../../../limits/ledger/cap.ts";
import type { Entry } from "../../../limits/ledger/reservation.ts";
import type { Database } from "../driver.ts";

interface EntryRow {
  readonly key: string;
  readonly at: number;
  readonly accounts: string;
  readonly asked: string;
  readonly spent: string | null;
  readonly settledAt: number | null;
}

const COLUMNS = "key, at, accounts, asked, spent, settled_at AS settledAt";

export const ENTRIES_SQL = {
  entry: `SELECT ${COLUMNS} FROM ledger_entries WHERE key = ?1`,
  below: `SELECT ${COLUMNS} FROM ledger_entries WHERE key > ?1 AND key < ?2`,
  open: `SELECT ${COLUMNS} FROM ledger_entries WHERE settled_at IS NULL AND key > ?1 AND key < ?2 ORDER BY key LIMIT ?3`,
} as const;

export interface SqliteEntries {
  get(key: string): Entry | undefined;
  /** Only while it is not settled. */
  getOpen(key: string): Entry | null;
  add(entry: Entry): void;
  settle(key: string, spent: Amounts, at: number): void;
  remove(key: string): void;
  /** With keys after `first` and before `last`. */
  between(first: string, last: string): Iterable<Entry>;
  openBetween(first: string, last: string, limit: number): readonly Entry[];
  all(): Iterable<Entry>;
}

export function createSqliteEntries(db: Database): SqliteEntries {
  const find = db.prepare<EntryRow>(ENTRIES_SQL.entry);
  const below = db.prepare<EntryRow>(ENTRIES_SQL.below);
  const open = db.prepare<EntryRow>(ENTRIES_SQL.open);
  const insert = db.prepare(
    "INSERT INTO ledger_entries(key, at, accounts, asked, spent, settled_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
  );
  const settle = db.prepare("UPDATE ledger_entries SET spent = ?2, settled_at = ?3 WHERE key = ?1");
  const remove = db.prepare("DELETE FROM ledger_entries WHERE key = ?1");
  const all = db.prepare<EntryRow>(`SELECT ${COLUMNS} FROM ledger_entries`);

  const get = (key: string): Entry | undefined => {
    const row = find.get(key);
    return row === undefined ? undefined : entryOf(row);
  };

  return {
    get,
    getOpen(key) {
      const entry = get(key);
      return entry === undefined || entry.settled !== null ? null : entry;
    },
    add({ key, at, accounts, asked, settled }) {
      const spent = settled === null ? null : JSON.stringify(settled.spent);
      insert.get(key, at, JSON.stringify(accounts), JSON.stringify(asked), spent, settled?.at ?? null);
    },
    settle: (key, spent, at) => void settle.get(key, JSON.stringify(spent), at),
    remove: (key) => remove.run(key),
    *between(first, last) {
      for (const row of below.iterate(first, last)) yield entryOf(row);
    },
    openBetween: (first, last, limit) => open.all(first, last, limit).map(entryOf),
    *all() {
      for (const row of all.iterate()) yield entryOf(row);
    },
  };
}

function entryOf({ key, at, accounts, asked, spent, settledAt }: EntryRow): Entry {
  return {
    key,
    at,
    accounts: JSON.parse(accounts) as readonly Account[],
    asked: JSON.parse(asked) as Amounts,
    settled: spent === null || settledAt === null ? null : { spent: JSON.parse(spent) as Amounts, at: settledAt },
  };
}
