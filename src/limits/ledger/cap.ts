/** Cap: the most that an account may spend of one unit in one window. A person wrote it somewhere, and `source` says where. */

/** Who pays. The run and its loop pay for everything they do; the others only where it concerns them. */
export type Scope = "run" | "loop" | "user" | "tenant" | "fleet" | "provider";

/** run: as long as the account lives. day: a calendar day. week: the last seven days, rolling. */
export type Window = "run" | "day" | "week";

export const UNITS = ["tokens", "microUsd", "runs", "spawns"] as const;
export type Unit = (typeof UNITS)[number];

/** Whole numbers from 0 on. */
export type Amounts = Readonly<Partial<Record<Unit, number>>>;

export interface Account {
  readonly scope: Scope;
  /** loop: the name of a blueprint; fleet: `*`; provider: such as `anthropic`. */
  readonly name: string;
}

export interface Cap {
  readonly account: Account;
  readonly unit: Unit;
  readonly window: Window;
  readonly amount: number;
  /** Where a person wrote it, such as `pawl.yaml:12:3`. */
  readonly source: string;
  /** Of the zone whose days count; without it, UTC. Whole quarters of an hour. */
  readonly offsetMinutes?: number;
}

export const FLEET: Account = { scope: "fleet", name: "*" };

export function isSameAccount(a: Account, b: Account): boolean {
  return a.scope === b.scope && a.name === b.name;
}

export function accountName({ scope, name }: Account): string {
  return `${scope}:${name}`;
}

/** The same for the same bound, however much it is. */
export function capName({ account, unit, window }: Cap): string {
  return `${accountName(account)} ${unit}/${window}`;
}

/** The units of which there is something, in the order of UNITS. */
export function spentUnits(amounts: Amounts): readonly Unit[] {
  return UNITS.filter((unit) => (amounts[unit] ?? 0) > 0);
}

/** More is no amount but a mistake, and no cap is larger. Sums of thousands of them are still exact. */
export const MOST_AMOUNT = 1e12;

/** What is wrong with amounts that cannot be counted exactly, or nothing. */
export function amountProblem(amounts: Amounts): string | undefined {
  const bad = Object.entries(amounts).find(
    ([unit, amount]) => !UNITS.some((known) => known === unit) || !isCountable(amount),
  );
  return bad === undefined ? undefined : `${bad[0]} is ${String(bad[1])}`;
}

function isCountable(amount: number): boolean {
  return Number.isInteger(amount) && amount >= 0 && amount <= MOST_AMOUNT;
}
