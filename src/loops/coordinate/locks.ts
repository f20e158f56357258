/**
 * Path locks between loops. A run has all its locks at once or none, and whoever has some asks for no more: nobody who holds waits, so nobody
 * waits in a circle. Who was refused stays in line; a place in line rises with the time waited, and nobody is served before those ahead whose
 * paths are among theirs, so nobody starves. Who is gone, or asks no more, is in nobody's way. A lock is free when its lease is over, and the one
 * who had it is told by its token; until then whoever goes on with the same run takes it over.
 *
 *   take ──▶ held ── renew ──▶ held ── release ──▶ free
 *     └────▶ in line ── take ──▶ …      └── its lease is over and another takes it: the old token is worth nothing
 */
import { overlapOf } from "./overlap.ts";

interface Party {
  /** The run. */
  readonly owner: string;
  /** The process that asks for it. Older tables do not say. */
  readonly host?: string;
  readonly loop: string;
  readonly paths: readonly string[];
}

export interface PathLock extends Party {
  readonly token: number;
  readonly since: number;
  readonly until: number;
  readonly leaseMs: number;
}

export interface Waiter extends Party {
  readonly priority: number;
  readonly since: number;
  /** When it last asked. */
  readonly seenAt: number;
}

export interface LockTable {
  /** The last token that was given. */
  readonly token: number;
  readonly held: readonly PathLock[];
  readonly line: readonly Waiter[];
}

export interface LockAsk extends Party {
  readonly host: string;
  readonly priority: number;
  readonly leaseMs: number;
  readonly at: number;
}

/** Who is in the way, and with which of its paths and ours. */
export interface InTheWay {
  readonly owner: string;
  readonly loop: string;
  readonly paths: readonly [own: string, theirs: string];
  /** false: it waits too, and is ahead. */
  readonly holds: boolean;
  readonly since: number;
}

export type LockAnswer =
  | { readonly taken: true; readonly token: number; readonly until: number }
  | { readonly taken: false; readonly inTheWay: InTheWay };

export const NO_LOCKS: LockTable = { token: 0, held: [], line: [] };

/** Whoever waits rises by one priority in this time. */
export const AGING_MS = 60_000;
/** Whoever has not asked for so long is not waited for. It keeps how long it has waited. */
export const PRESENT_MS = 60_000;
/** Whoever has not asked for so long waits no more, and a lock that was over for so long is forgotten. */
export const PATIENCE_MS = 600_000;

/** Processes that are known to have ended. */
export type Gone = ReadonlySet<string>;

interface Taken {
  readonly table: LockTable;
  readonly answer: LockAnswer;
}

export function takeLocks(before: LockTable, ask: LockAsk, gone: Gone): Taken {
  const table = settled(before, ask.at);
  const own = table.held.find(({ owner, until }) => owner === ask.owner && ask.at < until);
  if (own === undefined) return takeFree(table, ask, gone);
  const { token, until, loop, paths, since } = own;
  if (own.host === ask.host) return { table, answer: { taken: true, token, until } };
  // Two processes would have one run: whoever has it must end first.
  if (own.host !== undefined && !gone.has(own.host))
    return {
      table,
      answer: { taken: false, inTheWay: { owner: ask.owner, loop, paths: pair(paths), holds: true, since } },
    };
  const others = { ...table, held: table.held.filter((lock) => lock !== own) };
  return isSame(paths, ask.paths) ? give(others, ask) : takeFree(others, ask, gone);
}

function takeFree(table: LockTable, ask: LockAsk, gone: Gone): Taken {
  const { owner, host, loop, paths, priority, at } = ask;
  const since = table.line.find((each) => each.owner === owner)?.since ?? at;
  const waiter: Waiter = { owner, host, loop, paths, priority, since, seenAt: at };
  const line = table.line.filter((each) => each.owner !== owner);
  const inTheWay = blockerOf({ ...table, line }, waiter, at, gone);
  if (inTheWay !== null) return { table: { ...table, line: [...line, waiter] }, answer: { taken: false, inTheWay } };
  return give(table, ask);
}

function give({ token: last, held, line }: LockTable, { owner, host, loop, paths, at, leaseMs }: LockAsk): Taken {
  const [token, until] = [last + 1, at + leaseMs];
  const lock: PathLock = { owner, host, loop, paths, token, since: at, until, leaseMs };
  const others = held.filter(
    (each) => each.owner !== owner && (at < each.until || overlapOf(paths, each.paths) === null),
  );
  const table = { token, held: [...others, lock], line: line.filter((each) => each.owner !== owner) };
  return { table, answer: { taken: true, token, until } };
}

function pair([first = "**"]: readonly string[]): readonly [string, string] {
  return [first, first];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((path, index) => path === others[index]);
}

/** null: nobody. Whose lease is over holds nothing. */
export function blockerOf({ held, line }: LockTable, waiter: Waiter, at: number, gone: Gone): InTheWay | null {
  for (const lock of held) {
    const paths = at < lock.until && lock.owner !== waiter.owner ? overlapOf(waiter.paths, lock.paths) : null;
    if (paths !== null) return { owner: lock.owner, loop: lock.loop, paths, holds: true, since: lock.since };
  }
  for (const other of line) {
    const paths =
      isPresent(other, at, gone) && isAhead(other, waiter, at) ? overlapOf(waiter.paths, other.paths) : null;
    if (paths !== null) return { owner: other.owner, loop: other.loop, paths, holds: false, since: other.since };
  }
  return null;
}

/** null: the lock is another's, or nobody's; whoever had it must not go on. */
export function renewLocks(table: LockTable, owner: string, token: number, at: number): LockTable | null {
  const own = table.held.find((lock) => lock.owner === owner && lock.token === token);
  if (own === undefined) return null;
  const renewed = { ...own, until: at + own.leaseMs };
  return { ...table, held: table.held.map((lock) => (lock === own ? renewed : lock)) };
}

/** Its locks are free, and it waits for none. An old token frees nothing. */
export function releaseLocks(table: LockTable, owner: string, token: number): LockTable {
  return {
    ...table,
    held: table.held.filter((lock) => lock.owner !== owner || lock.token !== token),
    line: table.line.filter((waiter) => waiter.owner !== owner),
  };
}

/** A clock that was put back gives nobody a longer lease than was asked for, and nobody a longer wait. */
function settled({ token, held, line }: LockTable, at: number): LockTable {
  return {
    token,
    held: held
      .map((lock) => ({ ...lock, until: Math.min(lock.until, at + lock.leaseMs) }))
      .filter((lock) => at - lock.until < PATIENCE_MS),
    line: line
      .map((waiter) => ({ ...waiter, since: Math.min(waiter.since, at), seenAt: Math.min(waiter.seenAt, at) }))
      .filter((waiter) => at - waiter.seenAt < PATIENCE_MS),
  };
}

function isPresent({ seenAt, host }: Waiter, at: number, gone: Gone): boolean {
  return at - seenAt < PRESENT_MS && (host === undefined || !gone.has(host));
}

function isAhead(other: Waiter, waiter: Waiter, at: number): boolean {
  const [a, b] = [other, waiter].map(({ priority, since }) => priority + Math.floor((at - since) / AGING_MS)) as [
    number,
    number,
  ];
  if (a !== b) return a > b;
  return other.since !== waiter.since ? other.since < waiter.since : other.owner < waiter.owner;
}
