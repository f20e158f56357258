/**
 * The queue in front of one branch. Changes are tried in groups; a group that does not pass is halved until the guilty one stands alone, and
 * the others go in. One worker at a time has the queue, by a lease with a token. What will be moved where is kept before it is moved.
 *
 *   fresh ──▶ group under way ── passes ──▶ landing ──▶ gone
 *     ▲           │ does not pass: two halves, tried next
 *     └── put off ┘
 */

import { AGING_MS, type Gone } from "../locks.ts";

export interface Waiting {
  readonly id: string;
  readonly priority: number;
  readonly at: number;
  /** Not to be tried before. */
  readonly notBefore: number;
}

export interface Landing {
  readonly from: string;
  readonly to: string;
  /** What each change of the group becomes. */
  readonly commits: Readonly<Record<string, string>>;
}

export interface Active {
  readonly group: readonly string[];
  readonly landing: Landing | null;
}

export interface Worker {
  readonly name: string;
  /** The process it is in; none: that is not known. */
  readonly host?: string;
}

export interface Queue {
  /** The last token that was given. */
  readonly token: number;
  readonly worker: (Worker & { readonly until: number }) | null;
  readonly active: Active | null;
  /** Halves of groups that did not pass, to be tried first, in this order. */
  readonly groups: readonly (readonly string[])[];
  readonly fresh: readonly Waiting[];
  /** How often the gates gave no verdict: a check that was lost is another one when it is made again. */
  readonly tries: number;
}

export const EMPTY: Queue = { token: 0, worker: null, active: null, groups: [], fresh: [], tries: 0 };
const BATCH = 8;
const LEASE_MS = 120_000;

function holdsChange({ active, groups, fresh }: Queue, id: string): boolean {
  const inGroups = [active?.group ?? [], ...groups].some((group) => group.includes(id));
  return inGroups || fresh.some((waiting) => waiting.id === id);
}

export function join(queue: Queue, waiting: Waiting): Queue {
  return holdsChange(queue, waiting.id) ? queue : { ...queue, fresh: [...queue.fresh, waiting] };
}

/** Who has the queue, and until when if nothing more is heard of it; null: nobody, or a process that is gone. */
export function holderOf({ worker }: Queue, at: number, gone: Gone): Queue["worker"] {
  if (worker === null || (worker.host !== undefined && gone.has(worker.host))) return null;
  const until = Math.min(worker.until, at + LEASE_MS);
  return at < until ? { ...worker, until } : null;
}

export interface Turn {
  readonly at: number;
  /** Processes that are known to have ended. */
  readonly gone: Gone;
  /** What was put off until before this is tried all the same. */
  readonly dueBefore: number;
}

/** null: another worker has the queue, or there is nothing to do now. */
export function take(queue: Queue, worker: Worker, { at, gone, dueBefore }: Turn): Queue | null {
  const holder = holderOf(queue, at, gone);
  if (holder !== null && holder.name !== worker.name) return null;
  const next = queue.active === null ? begin(queue, at, dueBefore) : queue;
  if (next === null) return null;
  return { ...next, token: queue.token + 1, worker: { ...worker, until: at + LEASE_MS } };
}

function begin(queue: Queue, at: number, dueBefore: number): Queue | null {
  const [first, ...groups] = queue.groups;
  if (first !== undefined) return { ...queue, groups, active: { group: first, landing: null } };
  const due = queue.fresh.filter(({ notBefore }) => notBefore <= at || notBefore < dueBefore);
  const group = due.sort(inTurn).slice(0, BATCH);
  if (group.length === 0) return null;
  const fresh = queue.fresh.filter((waiting) => !group.includes(waiting));
  return { ...queue, fresh, active: { group: group.map(({ id }) => id), landing: null } };
}

/** Whose turn is first: each priority is a minute ahead of those that came at the same time, so nobody waits for ever behind what keeps coming. */
export function inTurn(a: Omit<Waiting, "notBefore">, b: Omit<Waiting, "notBefore">): number {
  const [first, second] = [a, b].map(({ priority, at }) => at - priority * AGING_MS) as [number, number];
  return first - second || b.priority - a.priority || (a.id < b.id ? -1 : 1);
}

export function renew(queue: Queue, at: number): Queue {
  return queue.worker === null ? queue : { ...queue, worker: { ...queue.worker, until: at + LEASE_MS } };
}

/** What is about to be moved; null: that was no longer so. */
export function land(queue: Queue, landing: Landing | null): Queue {
  return queue.active === null ? queue : { ...queue, active: { ...queue.active, landing } };
}

/** What a worker has found out about the group it has. */
export type Found =
  /** These are over: merged, sent back. The rest of the group is tried again. */
  | { readonly is: "over"; readonly ids: readonly string[] }
  /** It does not pass as a whole. */
  | { readonly is: "red" }
  /** These go together, the rest does not go with them. */
  | { readonly is: "apart"; readonly first: readonly string[] }
  /** The branch is not where it was. */
  | { readonly is: "raced" }
  /** Nothing can be said about these now. */
  | { readonly is: "put_off"; readonly waiting: readonly Waiting[] };

/** The group is over, in parts or as a whole; whoever has the queue takes the next one. */
export function report(queue: Queue, found: Found): Queue {
  const group = queue.active?.group ?? [];
  const idle = { ...queue, active: null };
  const first = (...groups: readonly (readonly string[])[]): Queue => ({
    ...idle,
    groups: [...groups.filter((each) => each.length > 0), ...queue.groups],
  });
  switch (found.is) {
    case "over":
      return first(group.filter((id) => !found.ids.includes(id)));
    case "red": {
      const half = Math.ceil(group.length / 2);
      return first(group.slice(0, half), group.slice(half));
    }
    case "apart":
      return first(
        found.first,
        group.filter((id) => !found.first.includes(id)),
      );
    case "raced":
      return first(group);
    default: {
      const off = found.waiting.map(({ id }) => id);
      const rest = first(group.filter((id) => !off.includes(id)));
      return { ...rest, fresh: [...rest.fresh, ...found.waiting], tries: queue.tries + 1 };
    }
  }
}

/** Takes a change out that nobody works on; the queue as it is where it is under way. */
export function leave(queue: Queue, id: string): Queue {
  return {
    ...queue,
    groups: queue.groups.map((group) => group.filter((each) => each !== id)).filter((group) => group.length > 0),
    fresh: queue.fresh.filter((waiting) => waiting.id !== id),
  };
}

/** The worker is done; the next one need not wait for its lease. */
export function letGo(queue: Queue): Queue {
  return { ...queue, worker: null };
}
