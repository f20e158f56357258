/** Control on SQLite: requests lie in a table until the host of their run settles them. */

import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Control, ControlRequest } from "../../ports/store/control.ts";
import type { Changes } from "./changes.ts";
import type { Database } from "./driver.ts";
import type { GroupCommit } from "./group-commit.ts";

interface ControlParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly commits: GroupCommit;
  readonly changes: Changes;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly isClosed: () => boolean;
}

interface RequestRow extends ControlRequest {
  readonly id: number;
  readonly run: RunId;
}

interface Watch {
  readonly run: RunId;
  readonly onRequest: (request: ControlRequest) => void;
  /** Id of the newest request that was passed on. */
  seen: number;
}

export function createSqliteControl({ db, clock, commits, changes, guarded, isClosed }: ControlParts): Control {
  const known = db.prepare("SELECT 1 FROM runs WHERE run = ?1");
  const insert = db.prepare(
    "INSERT INTO requests(run, kind, by, at) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(run, kind) DO NOTHING",
  );
  const remove = db.prepare("DELETE FROM requests WHERE run = ?1");
  const ofRun = db.prepare<RequestRow>("SELECT id, run, kind, by FROM requests WHERE run = ?1 ORDER BY id");
  const all = db.prepare<RequestRow>("SELECT id, run, kind, by FROM requests ORDER BY id");
  const watches = new Map<RunId, Set<Watch>>();
  let stopPolling: (() => void) | null = null;

  function deliver(rows: readonly RequestRow[]): void {
    for (const { id, run, kind, by } of rows) {
      for (const watch of [...(watches.get(run) ?? [])]) {
        if (watch.seen >= id) continue;
        watch.seen = id;
        watch.onRequest({ kind, by });
      }
    }
  }

  function add(watch: Watch): void {
    const set = watches.get(watch.run);
    if (set === undefined) watches.set(watch.run, new Set([watch]));
    else set.add(watch);
    stopPolling ??= changes.onForeign(() => deliver(all.all()));
  }

  function drop(watch: Watch): void {
    const set = watches.get(watch.run);
    if (set?.delete(watch) === true && set.size === 0) watches.delete(watch.run);
    if (watches.size > 0) return;
    stopPolling?.();
    stopPolling = null;
  }

  return {
    async request(run, { kind, by }) {
      await commits.run(() => () => {
        if (known.get(run) === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
        insert.run(run, kind, by, clock.now());
      });
      if (!isClosed()) deliver(ofRun.all(run));
    },
    watch(run, onRequest, isNew = false) {
      const watch: Watch = { run, onRequest, seen: 0 };
      add(watch);
      if (isNew) return () => drop(watch);
      // Not before the caller has what ends the watch.
      queueMicrotask(() => {
        if (!isClosed() && watches.get(run)?.has(watch) === true) deliver(ofRun.all(run));
      });
      return () => drop(watch);
    },
    async settle(run) {
      const some = await guarded(() => ofRun.get(run) !== undefined);
      if (some) await commits.run(() => () => remove.run(run));
    },
  };
}
