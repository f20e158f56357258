/** The books made again from every entry there is: what is kept must be exactly that. */
import { type Account, type Amounts, accountName, spentUnits, type Unit } from "./cap.ts";
import type { Entry } from "./reservation.ts";
import { quarterOf } from "./windows.ts";

/** The books of one account and unit. */
export interface Page {
  readonly account: Account;
  readonly unit: Unit;
  readonly spent: number;
  readonly reserved: number;
  /** Quarter → settled up to its end, in order. What a run has spent is not told apart by time. */
  readonly quarters: readonly (readonly [quarter: number, upTo: number])[];
}

interface Tally {
  spent: number;
  reserved: number;
  readonly quarters: Map<number, number>;
}

export function replayEntries(entries: Iterable<Entry>): ReadonlyMap<string, string> {
  const tallies = new Map<string, Tally>();
  for (const { accounts, asked, settled } of entries) {
    for (const account of accounts) {
      if (settled === null) eachUnit(tallies, account, asked, (tally, amount) => (tally.reserved += amount));
      else {
        const quarter = account.scope === "run" ? null : quarterOf(settled.at);
        eachUnit(tallies, account, settled.spent, (tally, amount) => book(tally, quarter, amount));
      }
    }
  }
  return new Map([...tallies].map(([name, tally]) => [name, textOf(tally)]));
}

/** Where the kept pages differ from the entries. */
export function bookProblems(replayed: ReadonlyMap<string, string>, pages: Iterable<Page>): readonly string[] {
  const problems: string[] = [];
  const missing = new Map(replayed);
  for (const page of pages) {
    const name = pageName(page.account, page.unit);
    const found = pageText(page);
    const expected = missing.get(name) ?? textOf({ spent: 0, reserved: 0, quarters: new Map() });
    missing.delete(name);
    if (found !== expected) problems.push(`the ledger of ${name} says ${found}, its entries say ${expected}`);
  }
  for (const [name, expected] of missing)
    problems.push(`the ledger of ${name} is missing; its entries say ${expected}`);
  return problems;
}

function eachUnit(
  tallies: Map<string, Tally>,
  account: Account,
  amounts: Amounts,
  add: (tally: Tally, amount: number) => void,
): void {
  for (const unit of spentUnits(amounts)) {
    const name = pageName(account, unit);
    const tally = tallies.get(name) ?? { spent: 0, reserved: 0, quarters: new Map() };
    tallies.set(name, tally);
    add(tally, amounts[unit] as number);
  }
}

function book(tally: Tally, quarter: number | null, amount: number): void {
  tally.spent += amount;
  if (quarter !== null) tally.quarters.set(quarter, (tally.quarters.get(quarter) ?? 0) + amount);
}

function textOf({ spent, reserved, quarters }: Tally): string {
  let upTo = 0;
  const sums = [...quarters]
    .sort(([a], [b]) => a - b)
    .map(([quarter, amount]) => {
      upTo += amount;
      return `${quarter}=${upTo}`;
    });
  return `${spent} spent, ${reserved} reserved [${sums.join(" ")}]`;
}

function pageText({ spent, reserved, quarters }: Page): string {
  return `${spent} spent, ${reserved} reserved [${quarters.map(([quarter, upTo]) => `${quarter}=${upTo}`).join(" ")}]`;
}

function pageName(account: Account, unit: Unit): string {
  return `${accountName(account)} ${unit}`;
}
