/** The line of those who wait for budget, on SQLite. It is short: who is served leaves it. */
import type { Account, Amounts } from "../../../limits/ledger/cap.ts";
import type { Waiter } from "../../../limits/ledger/line.ts";
import type { Database } from "../driver.ts";

export interface SqliteLine {
  line(): readonly Waiter[];
  putWaiter(waiter: Waiter): void;
  dropWaiter(who: string): void;
}

interface WaiterRow extends Omit<Waiter, "accounts" | "amounts" | "blocked"> {
  readonly accounts: string;
  readonly amounts: string;
  readonly blocked: string;
}

export function createSqliteLine(db: Database): SqliteLine {
  const line = db.prepare<WaiterRow>(
    "SELECT who, since, priority, accounts, amounts, blocked, until FROM ledger_line ORDER BY who",
  );
  const putLine = db.prepare(
    `INSERT INTO ledger_line(who, since, priority, accounts, amounts, blocked, until) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT(who) DO UPDATE SET priority = excluded.priority, accounts = excluded.accounts, amounts = excluded.amounts,
       blocked = excluded.blocked, until = excluded.until`,
  );
  const dropLine = db.prepare("DELETE FROM ledger_line WHERE who = ?1");
  return {
    line: () => line.all().map(waiterOf),
    putWaiter({ who, since, priority, accounts, amounts, blocked, until }) {
      const texts = [accounts, amounts, blocked].map((value) => JSON.stringify(value));
      putLine.run(who, since, priority, ...texts, until);
    },
    dropWaiter: (who) => dropLine.run(who),
  };
}

function waiterOf({ accounts, amounts, blocked, ...row }: WaiterRow): Waiter {
  return {
    ...row,
    accounts: JSON.parse(accounts) as readonly Account[],
    amounts: JSON.parse(amounts) as Amounts,
    blocked: JSON.parse(blocked) as readonly string[],
  };
}
