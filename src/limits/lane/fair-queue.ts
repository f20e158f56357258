/** A lane's queue in memory, by the law of fair-share.ts. */
import { type Caller, compareCallers, costOf, nextTurns, servedBefore, tagOnArrival } from "./fair-share.ts";

export interface Entry<T> {
  readonly id: string;
  readonly caller: string;
  /** Among those of one caller, the higher is first. */
  readonly priority: number;
  readonly value: T;
}

export interface FairQueue<T> {
  size(): number;
  /** Returns its number in the order of arrival. */
  push(entry: Entry<T>, share?: number): number;
  /** The next one that is ready; null: none is. */
  take(isReady?: (entry: Entry<T>) => boolean): Entry<T> | null;
  /** What was taken waits again under its number, and its caller has its turn back. */
  putBack(entry: Entry<T>, seq: number): void;
  /** null: it does not wait here. */
  remove(id: string): Entry<T> | null;
  /** Counted from 1; null: it does not wait here. */
  position(id: string): number | null;
  /** Those that wait, in the order they will be served. */
  first(most: number): readonly Entry<T>[];
}

interface Place<T> {
  readonly entry: Entry<T>;
  readonly seq: number;
}

interface Row<T> extends Caller {
  tag: number;
  share: number;
  queued: number;
  since: number;
  /** Who is first is first. */
  readonly places: Place<T>[];
}

export function createFairQueue<T>(): FairQueue<T> {
  const callers = new Map<string, Row<T>>();
  /** By the id of what waits. */
  const owners = new Map<string, Row<T>>();
  let tag = 0;
  let count = 0;

  const waiting = (): Row<T>[] => [...callers.values()].filter(({ queued }) => queued > 0).sort(compareCallers);

  function join(entry: Entry<T>, seq: number, share?: number): void {
    const row = rowOf(callers, entry.caller);
    if (row.queued === 0) {
      row.tag = tagOnArrival(row.tag, tag);
      row.since = seq;
    }
    row.share = share ?? row.share;
    insert(row, { entry, seq });
    owners.set(entry.id, row);
  }

  function leave(row: Row<T>, index: number): Entry<T> {
    const [{ entry }] = row.places.splice(index, 1) as [Place<T>];
    row.queued -= 1;
    owners.delete(entry.id);
    return entry;
  }

  function find(id: string): { row: Row<T>; index: number } | null {
    const row = owners.get(id);
    return row === undefined ? null : { row, index: row.places.findLastIndex(({ entry }) => entry.id === id) };
  }

  function take(isReady: (entry: Entry<T>) => boolean = () => true): Entry<T> | null {
    const passed: Row<T>[] = [];
    for (const row of waiting()) {
      const index = row.places.findIndex(({ entry }) => isReady(entry));
      if (index >= 0) {
        tag = Math.max(tag, row.tag);
        for (const other of passed) other.tag = tagOnArrival(other.tag, row.tag);
        row.tag += costOf(row.share);
        return leave(row, index);
      }
      passed.push(row);
    }
    return null;
  }

  return {
    size: () => waiting().reduce((sum, { queued }) => sum + queued, 0),
    push(entry, share) {
      count += 1;
      join(entry, count, share);
      return count;
    },
    take,
    putBack(entry, seq) {
      const row = rowOf(callers, entry.caller);
      row.tag -= costOf(row.share);
      join(entry, seq);
    },
    remove(id) {
      const found = find(id);
      return found === null ? null : leave(found.row, found.index);
    },
    position(id) {
      const found = find(id);
      return found === null ? null : 1 + servedBefore(waiting(), found.row, found.index);
    },
    first: (most) =>
      nextTurns(waiting(), most).map(({ name, index }) => (rowOf(callers, name).places[index] as Place<T>).entry),
  };
}

function rowOf<T>(callers: Map<string, Row<T>>, name: string): Row<T> {
  const row = callers.get(name) ?? { name, tag: 0, share: 1, queued: 0, since: 0, places: [] };
  callers.set(name, row);
  return row;
}

function insert<T>(row: Row<T>, place: Place<T>): void {
  const behind = row.places.findLastIndex((other) => isBefore(other, place));
  row.places.splice(behind + 1, 0, place);
  row.queued += 1;
}

function isBefore<T>(a: Place<T>, b: Place<T>): boolean {
  return a.entry.priority > b.entry.priority || (a.entry.priority === b.entry.priority && a.seq < b.seq);
}
