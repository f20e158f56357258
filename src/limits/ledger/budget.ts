/** Budget: every cap that people have written, wherever they have, and whose turn comes first. All caps apply, so that the strictest wins. */
import { type Account, type Amounts, type Cap, FLEET, isSameAccount } from "./cap.ts";

/** A cap of the account `run:*` is one for each run by itself; one of a loop with the window `run`, for each run of that loop. */
export interface BudgetSpec {
  readonly caps: readonly Cap[];
  /** Loop → how soon its turn comes when several wait; the higher, the sooner. */
  readonly priorities: Readonly<Record<string, number>>;
}

export const EACH_RUN: Account = { scope: "run", name: "*" };
export const NO_BUDGET: BudgetSpec = { caps: [], priorities: {} };
/** Of a loop that nobody has given one. */
const USUAL_PRIORITY = 0;

/** Where two give a loop a priority, the first counts. */
export function joinBudgets(specs: readonly BudgetSpec[]): BudgetSpec {
  return {
    caps: specs.flatMap(({ caps }) => caps),
    priorities: Object.fromEntries(specs.toReversed().flatMap(({ priorities }) => Object.entries(priorities))),
  };
}

/** A run with the runs that have started it, the outermost last. */
export type Lineage = readonly { readonly run: string; readonly loop: string }[];

export interface Payment {
  readonly accounts: readonly Account[];
  /** Those that concern the accounts, and those of every provider. */
  readonly caps: readonly Cap[];
  readonly priority: number;
}

/** What the run itself counts as: a run, or a spawn of another run; null: no cap counts it. */
export function entryFor({ caps }: Payment, lineage: Lineage, isDrill: boolean): Amounts | null {
  const unit = lineage.length === 1 ? "runs" : "spawns";
  return isDrill || !caps.some((cap) => cap.unit === unit) ? null : { [unit]: 1 };
}

/** Who works here; null: nobody in particular. */
export interface Payers {
  readonly user: string | null;
  readonly tenant: string | null;
}

/** Who pays for what a run spends: it and its loop, those that have started it and theirs, the user, the tenant, and the fleet. */
export function paymentFor(spec: BudgetSpec, lineage: Lineage, { user, tenant }: Payers): Payment {
  const runs = lineage.map(({ run }): Account => ({ scope: "run", name: run }));
  const loops = [...new Set(lineage.map(({ loop }) => loop))].map((name): Account => ({ scope: "loop", name }));
  const people: readonly Account[] = [
    ...(user === null ? [] : [{ scope: "user", name: user } as const]),
    ...(tenant === null ? [] : [{ scope: "tenant", name: tenant } as const]),
  ];
  const accounts = [...runs, ...loops, ...people, FLEET];
  const caps = spec.caps.flatMap((cap): readonly Cap[] => {
    const { scope } = cap.account;
    if (isSameAccount(cap.account, EACH_RUN)) return runs.map((account) => ({ ...cap, account }));
    if (scope === "loop" && cap.window === "run") return eachRunOf(lineage, cap);
    // Which provider is asked is known with each call.
    const concerns = scope === "provider" || accounts.some((account) => isSameAccount(account, cap.account));
    return concerns ? [cap] : [];
  });
  const outermost = lineage.at(-1)?.loop ?? "";
  return { accounts, caps, priority: spec.priorities[outermost] ?? USUAL_PRIORITY };
}

/** A spawn is one of whoever has started it, so that a loop which may spawn nothing can still be spawned. */
function eachRunOf(lineage: Lineage, cap: Cap): readonly Cap[] {
  const payers = cap.unit === "spawns" ? lineage.slice(1) : lineage;
  const own = payers.filter(({ loop }) => loop === cap.account.name);
  return own.map(({ run }) => ({ ...cap, account: { scope: "run", name: run } }));
}
