/** The hosts that share a store: this one, registered with its first write, and what is known of the others. */
import { hostname } from "node:os";
import type { Clock } from "../../ports/clock.ts";
import type { Holder } from "../../ports/store/run-index.ts";
import type { Database, Driver } from "./driver.ts";
import { type HostLock, holdHostLock, hostIds, isHostAlive, removeDeadHost } from "./file/host-lock.ts";

export interface Hosts {
  /** Makes this process a host: takes its lock. To be called before the transaction that registers it. */
  lock(): string;
  /** Inside a transaction: stores who this host is, once, and sweeps what dead hosts left. */
  register(): void;
  /** The id of this host, or null while it holds no lock. */
  self(): string | null;
  isAlive(id: string): boolean;
  holder(id: string): Holder | null;
  /** So many more events are durable. */
  count(events: number): void;
  /** After a rollback: registers again. */
  clear(): void;
  /** `moved`: everything this host wrote has left the -wal file. If not, its note stays to guard that file. */
  release(moved: boolean): void;
}

interface HostParts {
  readonly db: Database;
  readonly driver: Driver;
  readonly dir: string;
  readonly clock: Clock;
  /** The row id of the newest durable event; 0 in a store that has none. */
  readonly newest: () => number;
}

/** A note costs a system call. What is written to a journal that loses its -wal file is far more than this. */
const NOTE_EVERY = 16;

export function createHosts({ db, driver, dir, clock, newest }: HostParts): Hosts {
  const insert = db.prepare(
    "INSERT INTO hosts(id, pid, hostname, since) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(id) DO NOTHING",
  );
  const remove = db.prepare("DELETE FROM hosts WHERE id = ?1");
  const select = db.prepare<Holder>("SELECT pid, hostname, since FROM hosts WHERE id = ?1");
  const others = db.prepare<{ id: string }>("SELECT id FROM hosts");
  let held: HostLock | null = null;
  let registered = false;
  /** Row id that the newest event has at least: other hosts may have stored more. */
  let stored = 0;
  let noted = 0;
  /** It has stored no event yet: the first is always noted. */
  let isFirst = true;

  function sweep(self: string): void {
    const known = others.all().map((row) => row.id);
    for (const id of new Set([...known, ...hostIds(dir)])) {
      if (id !== self && removeDeadHost(driver, dir, id)) remove.run(id);
    }
  }

  return {
    lock() {
      held ??= holdHostLock(driver, dir);
      return held.id;
    },
    register() {
      if (registered || held === null) return;
      registered = true;
      // This host's note takes the place of those that are swept.
      stored = newest();
      noted = stored;
      held.note(noted);
      sweep(held.id);
      insert.run(held.id, process.pid, hostname(), clock.now());
    },
    self: () => held?.id ?? null,
    isAlive: (id) => id === held?.id || isHostAlive(driver, dir, id),
    holder(id) {
      const row = select.get(id);
      return row === undefined ? null : { pid: row.pid, hostname: row.hostname, since: row.since };
    },
    count(events) {
      stored += events;
      if (events === 0 || (stored - noted < NOTE_EVERY && !isFirst)) return;
      isFirst = false;
      noted = stored;
      held?.note(noted);
    },
    clear() {
      registered = false;
    },
    release(moved) {
      held?.release(moved);
      held = null;
    },
  };
}
