/** The money of the simulated world: a ledger and records of calls that outlive every host, and a host that may die at each use of them. */
import { createMemoryCallRecords } from "../../src/adapters/memory/models/call-records.ts";
import { type Budgets, purseFor } from "../../src/engines/embedded/purses.ts";
import type { Restored } from "../../src/kernel/hosting.ts";
import { waitersOf } from "../../src/kernel/pay/fund.ts";
import { type BudgetSpec, entryFor, paymentFor } from "../../src/limits/ledger/budget.ts";
import type { Cap } from "../../src/limits/ledger/cap.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { CallRecords } from "../../src/ports/models/call-records.ts";
import type { Purse } from "../../src/ports/store/budget.ts";
import type { Ledger } from "../../src/ports/store/ledger.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { Chance } from "./random.ts";
import { randomCaps } from "./random-money.ts";

export interface MoneyWorld {
  readonly dice: Chance;
  readonly store: Pick<Store, "ledger" | "runs" | "integrity">;
  readonly spec: BudgetSpec;
  readonly records: CallRecords;
  /** Each time that a cap was passed. */
  readonly passed: string[];
}

export function createMoneyWorld(store: MoneyWorld["store"], dice: Chance): MoneyWorld {
  return { dice, store, spec: randomCaps(dice), records: createMemoryCallRecords(), passed: [] };
}

type Risky = <A extends readonly unknown[], T>(work: (...call: A) => Promise<T>) => (...call: A) => Promise<T>;

/** The ledger and the records as one host has them. */
export interface HostMoney {
  readonly ledger: Ledger;
  readonly records: CallRecords;
}

export function moneyOf(
  { store, records, spec, passed }: MoneyWorld,
  clock: Clock,
  mortal: () => Promise<void>,
): HostMoney {
  const risky: Risky =
    (work) =>
    async (...call) => {
      await mortal();
      const result = await work(...call);
      await mortal();
      return result;
    };
  const { ledger } = store;
  const caps = new Map<string, Cap>();
  const noteCaps = (asked: readonly Cap[]): void => {
    for (const cap of asked) caps.set(JSON.stringify(cap), cap);
  };
  const look = async (): Promise<void> => {
    for (const cap of caps.values()) {
      const [standing] = (await ledger.standing([cap.account], clock.now())).filter(({ unit }) => unit === cap.unit);
      const { reserved, spent } = standing ?? { reserved: 0, spent: { run: 0, day: 0, week: 0 } };
      if (spent[cap.window] + reserved > cap.amount)
        passed.push(`${spent[cap.window]} settled and ${reserved} held of ${JSON.stringify(cap)}`);
    }
  };
  return {
    ledger: {
      ...ledger,
      reserve: risky(async (asking) => {
        noteCaps([...spec.caps, ...asking.caps]);
        const answer = await ledger.reserve(asking);
        await look();
        return answer;
      }),
      settle: risky(async (...call: Parameters<Ledger["settle"]>) => {
        const answer = await ledger.settle(...call);
        await look();
        return answer;
      }),
      withdraw: risky(ledger.withdraw),
      usage: risky(ledger.usage),
      count: risky(ledger.count),
      open: risky(ledger.open),
    },
    records: { append: risky(records.append), read: risky(records.read), forget: risky(records.forget) },
  };
}

/** The purse of the run, as an engine makes it. */
export function purseOf({ spec, store }: MoneyWorld, { ledger }: HostMoney, restored: Restored): Purse | undefined {
  const budgets: Budgets = {
    countsRuns: () => spec.caps.some(({ unit }) => unit === "runs"),
    for: async (lineage, { isDrill }) => {
      const payment = paymentFor(spec, lineage, { user: null, tenant: null });
      return { ...payment, ledger, entry: entryFor(payment, lineage, isDrill) };
    },
  };
  const { run, plan } = restored;
  const payer = { run, plan, parent: null, isDrill: false, waiting: waitersOf(restored) };
  return purseFor({ runs: store.runs, budgets }, payer);
}
