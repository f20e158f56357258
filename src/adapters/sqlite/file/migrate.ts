/** Schemas and their history: each entry of `migrations` raises `user_version` by one, in a transaction of its own. */
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Database } from "../driver.ts";
import { createRunChain } from "../events/run-chain.ts";
import { NEWEST_SQL } from "../heads.ts";
import { createPin, EMPTY_PIN } from "../loss/pin.ts";
import { STORE_ID_TABLE } from "../loss/store-id.ts";
import { rebuildWaits } from "../waiting/rebuild-waits.ts";
import { WAITS_INDEXES, WAITS_TABLE } from "../waiting/waiting-rows.ts";
import { FOREIGN, JOURNAL_APPLICATION } from "./state-files.ts";

export interface Schema {
  /** Tells a file of this kind from any other SQLite file. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /** Before a file of this version is brought up to date. */
  readonly prepare?: (dir: string, version: number) => void;
}

/** `fill` comes after the statements, in their transaction. `isIndex`: a reader needs it filled too. */
type Migration = string | { readonly sql: string; readonly isIndex?: true; fill(db: Database): void };

/**
 * `events` is a table in the order of arrival: concurrent runs write to the same last pages, not to one page per run.
 * Every index on `runs` ends with the row id that SQLite adds, so a page of any filter is read in order from one place.
 */
const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE plans(id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
   CREATE TABLE runs(
     id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, blueprint TEXT NOT NULL, plan INTEGER NOT NULL,
     status TEXT NOT NULL, reason TEXT, parent TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
     head_seq INTEGER NOT NULL, head_hash TEXT NOT NULL, owner TEXT) STRICT;
   CREATE INDEX runs_by_parent ON runs(parent);
   CREATE INDEX runs_by_status ON runs(parent, status);
   CREATE INDEX runs_by_blueprint ON runs(parent, blueprint);
   CREATE INDEX runs_by_both ON runs(parent, blueprint, status);
   CREATE TABLE events(
     id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
   CREATE UNIQUE INDEX events_by_seq ON events(run, seq);
   CREATE TABLE requests(
     id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, kind TEXT NOT NULL, by TEXT NOT NULL, at INTEGER NOT NULL,
     UNIQUE(run, kind)) STRICT;
   CREATE TABLE hosts(id TEXT PRIMARY KEY, pid INTEGER NOT NULL, hostname TEXT NOT NULL, since INTEGER NOT NULL) STRICT;`,
  `CREATE TABLE evidence(
     id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, blueprint TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE INDEX evidence_by_blueprint ON evidence(blueprint, kind);`,
  "CREATE TABLE breakers(target TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;",
  `CREATE TABLE ledger_entries(
     key TEXT PRIMARY KEY, at INTEGER NOT NULL, accounts TEXT NOT NULL, asked TEXT NOT NULL,
     spent TEXT, settled_at INTEGER) STRICT, WITHOUT ROWID;
   CREATE INDEX ledger_open ON ledger_entries(key) WHERE settled_at IS NULL;
   CREATE TABLE ledger_pages(
     id INTEGER PRIMARY KEY, scope TEXT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL,
     spent INTEGER NOT NULL, reserved INTEGER NOT NULL, UNIQUE(scope, name, unit)) STRICT;
   CREATE TABLE ledger_quarters(
     page INTEGER NOT NULL, quarter INTEGER NOT NULL, up_to INTEGER NOT NULL, PRIMARY KEY(page, quarter)) STRICT, WITHOUT ROWID;
   CREATE TABLE ledger_line(
     who TEXT PRIMARY KEY, since INTEGER NOT NULL, priority INTEGER NOT NULL, accounts TEXT NOT NULL, amounts TEXT NOT NULL,
     blocked TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  // Nothing is made: from here on the row of a run that a host has does not say where its chain ends.
  "SELECT 1;",
  `CREATE INDEX runs_by_end ON runs(parent, updated_at) WHERE status NOT IN ('queued', 'running', 'waiting', 'paused');`,
  {
    sql: `CREATE TABLE chain(
     n INTEGER PRIMARY KEY, kind TEXT NOT NULL, run TEXT NOT NULL, seq INTEGER NOT NULL, head TEXT NOT NULL,
     runs INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
   CREATE INDEX chain_migrated ON chain(run) WHERE kind = 'migrated';`,
    fill: chainRuns,
  },
  { sql: `${WAITS_TABLE}\n   ${WAITS_INDEXES}`, isIndex: true, fill: rebuildWaits },
  STORE_ID_TABLE,
];

/** The version that brought the chain of runs. */
export const CHAINED_VERSION = 7;

/** Enters every run that is there, in the order in which they were created. */
function chainRuns(db: Database): void {
  const chain = createRunChain(db);
  const runs = db.prepare<{ run: string; seq: number; hash: string }>(`SELECT run,
    coalesce((SELECT seq ${NEWEST_SQL}), head_seq) AS seq, coalesce((SELECT hash ${NEWEST_SQL}), head_hash) AS hash
    FROM runs ORDER BY id`);
  for (const { run, seq, hash } of runs.iterate()) chain.add("migrated", run, seq, hash);
}

export const JOURNAL_SCHEMA: Schema = { applicationId: JOURNAL_APPLICATION, migrations: MIGRATIONS, prepare: beginPin };

/** A journal with a chain of runs always had a pin, so that a missing one means that somebody took it away. */
function beginPin(dir: string, version: number): void {
  if (version < CHAINED_VERSION) createPin(dir, EMPTY_PIN);
}

/** Read by one statement, so by one look: another process may be making the schema at this moment. */
const LOOK = `SELECT (SELECT user_version FROM pragma_user_version) AS version,
  (SELECT application_id FROM pragma_application_id) AS application, count(*) AS objects,
  coalesce(group_concat(name) FILTER (WHERE type = 'table'), '') AS tables FROM sqlite_schema`;

interface Look {
  readonly version: number;
  readonly application: number;
  readonly objects: number;
  /** Their names, with commas. */
  readonly tables: string;
}

/** The schema version of a file, 0 for an empty one. Refuses what a newer program or another program wrote. */
export function schemaVersion(db: Database, file: string, { applicationId, migrations }: Schema): number {
  const { version, application, objects, tables } = db.prepare<Look>(LOOK).get() as Look;
  const empty = version === 0 && application === 0 && objects === 0;
  if (!empty && application !== applicationId) {
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail: FOREIGN });
  }
  const known = migrations.length;
  if (version > known) throw pawlError(JOURNAL_ERRORS, "JOURNAL_SCHEMA_NEWER", { file, version, known });
  const later = new Set(migrations.slice(version).flatMap((step) => tablesOf(step)));
  if (tables.split(",").some((name) => later.has(name)))
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", {
      file,
      detail: `it says that its schema is ${version}, and has later tables`,
    });
  return version;
}

function tablesOf(step: Migration): readonly string[] {
  return [...sqlOf(step).matchAll(/CREATE TABLE (\w+)/g)].flatMap(([, name]) => name ?? []);
}

/** Brings the schema up to date. Safe against other processes that do the same. */
export function migrate(db: Database, file: string, schema: Schema): void {
  const { applicationId, migrations } = schema;
  while (schemaVersion(db, file, schema) < migrations.length) {
    db.exec("BEGIN IMMEDIATE");
    try {
      const version = schemaVersion(db, file, schema);
      const step = migrations[version];
      if (step !== undefined) {
        db.exec(`${sqlOf(step)} PRAGMA application_id=${applicationId}; PRAGMA user_version=${version + 1};`);
        if (typeof step !== "string") step.fill(db);
      }
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
}

function sqlOf(step: Migration): string {
  return typeof step === "string" ? step : step.sql;
}

/**
 * What a file of an older version lacks, as tables that only this connection sees: a reader changes nothing. Without an index its
 * questions take longer.
 */
export function standIn(db: Database, version: number, { migrations }: Schema): void {
  for (const step of migrations.slice(version)) {
    const statements = sqlOf(step).split(";");
    for (const statement of statements.map((text) => text.trim()))
      if (statement.startsWith("CREATE TABLE")) db.exec(statement.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    if (typeof step !== "string" && step.isIndex === true) step.fill(db);
  }
}
