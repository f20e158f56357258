/** The schema of the store of loops, `loops.db`: each entry raises its version by one. Entries are added, never changed. */
import type { Schema } from "../file/migrate.ts";
import { LOOPS_APPLICATION } from "../file/state-files.ts";
import { STORE_ID_TABLE } from "../loss/store-id.ts";

const MIGRATIONS: readonly string[] = [
  // Each index holds only jobs in one state: what is over costs a claim nothing.
  `CREATE TABLE hosts(id TEXT PRIMARY KEY, pid INTEGER NOT NULL, hostname TEXT NOT NULL, since INTEGER NOT NULL) STRICT;
   CREATE TABLE jobs(
     id INTEGER PRIMARY KEY, job TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, caller TEXT NOT NULL, body TEXT NOT NULL,
     priority INTEGER NOT NULL, queued_at INTEGER NOT NULL, state TEXT NOT NULL, ready INTEGER NOT NULL,
     token INTEGER NOT NULL, worker TEXT, evicted TEXT NOT NULL, lease INTEGER NOT NULL,
     begun INTEGER NOT NULL, begun_at INTEGER, ended_at INTEGER, took_ms INTEGER) STRICT;
   CREATE INDEX jobs_queued ON jobs(lane, caller, priority DESC, id) WHERE state = 'queued';
   CREATE INDEX jobs_running ON jobs(lane, id) WHERE state = 'running';
   CREATE INDEX jobs_done ON jobs(lane, ended_at) WHERE state = 'done';
   CREATE TABLE lanes(
     lane TEXT PRIMARY KEY, max INTEGER NOT NULL, declared INTEGER, tag INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE lane_callers(
     lane TEXT NOT NULL, caller TEXT NOT NULL, tag INTEGER NOT NULL, share INTEGER NOT NULL, queued INTEGER NOT NULL,
     since INTEGER NOT NULL, PRIMARY KEY(lane, caller)) STRICT, WITHOUT ROWID;
   CREATE INDEX callers_waiting ON lane_callers(lane, tag, since) WHERE queued > 0;`,
  "CREATE TABLE board(name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;",
  `CREATE TABLE admissions(
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, worker TEXT NOT NULL, body TEXT NOT NULL, held INTEGER NOT NULL,
     passed INTEGER NOT NULL, seen INTEGER NOT NULL, UNIQUE(worker, key)) STRICT;`,
  `CREATE TABLE schedules(
     loop TEXT PRIMARY KEY, next INTEGER, armed_at INTEGER NOT NULL, trigger TEXT NOT NULL, open TEXT, floor INTEGER NOT NULL,
     seen TEXT, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE slots(
     id INTEGER PRIMARY KEY, loop TEXT NOT NULL, slot TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL,
     UNIQUE(loop, slot)) STRICT;
   CREATE INDEX slots_by_age ON slots(loop, id);
   CREATE INDEX slots_waiting ON slots(loop, id) WHERE state = 'waiting';`,
  "ALTER TABLE jobs ADD COLUMN late INTEGER;",
  "CREATE INDEX jobs_by_run ON jobs(body ->> 'run');",
  STORE_ID_TABLE,
];

/** "Pwlp" in ASCII. */
export const LOOPS_SCHEMA: Schema = { applicationId: LOOPS_APPLICATION, migrations: MIGRATIONS };
