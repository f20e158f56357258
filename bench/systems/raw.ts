/**
 * Raw: the least a runtime of this kind must write (two event rows and one state row a stage), and nothing else.
 * It is the limit the other systems are compared with, not a rival: no checks, no chain, no index beyond the keys.
 * Variants: `full` one commit a stage; `group` one commit shared by all runs of a turn of the event loop; `normal` as
 * `full` but not synchronised with the disk, so it survives a killed process and not a power cut.
 */
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ListPage, ListRequest, OpenOptions, RunRequest, StoreSession, System } from "../system.ts";
import { loadDriver } from "./sqlite-driver.ts";

const SCHEMA = `
  CREATE TABLE runs (id INTEGER PRIMARY KEY, status TEXT NOT NULL, seq INTEGER NOT NULL, updated INTEGER NOT NULL) STRICT;
  CREATE INDEX runs_by_status ON runs (status, id);
  CREATE TABLE events (run INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID, STRICT;
`;
const SYNCHRONOUS: Readonly<Record<string, number>> = { full: 2, group: 2, normal: 1 };

type Write = () => void;

export const system: System<StoreSession> = {
  async open(options) {
    const driver = await loadDriver();
    const db = new driver.module.DatabaseSync(join(options.dir, "raw.db"));
    const level = SYNCHRONOUS[options.variant] ?? 2;
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${level}`);
    const hasSchema = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'runs'").get() !== undefined;
    if (!hasSchema) db.exec(SCHEMA);
    const commit = options.variant === "group" ? createGroupCommit(db) : createSingleCommit(db);
    return createRawSession(db, options, commit, {
      driver: driver.name,
      synchronous: String(Object.values(db.prepare("PRAGMA synchronous").get() as object)[0]),
    });
  },
};

function createSingleCommit(db: DatabaseSyncInstance): (write: Write) => Promise<void> | undefined {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  return (write) => {
    begin.run();
    write();
    commit.run();
    return undefined;
  };
}

/** Writes asked for in one turn of the event loop share a commit; each waits until it is durable. */
function createGroupCommit(db: DatabaseSyncInstance): (write: Write) => Promise<void> | undefined {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let pending: Write[] = [];
  let flushed: Promise<void> | null = null;
  const flush = (done: () => void): void => {
    const writes = pending;
    pending = [];
    flushed = null;
    begin.run();
    for (const write of writes) write();
    commit.run();
    done();
  };
  return (write) => {
    pending.push(write);
    flushed ??= new Promise((resolve) => setImmediate(flush, resolve));
    return flushed;
  };
}

function createRawSession(
  db: DatabaseSyncInstance,
  options: OpenOptions,
  commit: (write: Write) => Promise<void> | undefined,
  facts: Readonly<Record<string, string>>,
): StoreSession {
  const insertRun = db.prepare("INSERT INTO runs VALUES (?, 'running', 0, ?)");
  const updateRun = db.prepare("UPDATE runs SET status = ?, seq = ?, updated = ? WHERE id = ?");
  const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?)");
  let newest = Number((db.prepare("SELECT max(id) AS id FROM runs").get() as { id: number | null }).id ?? 0);

  const stage = (run: number, at: number, index: number, status: string): void => {
    const result = options.meter.body(String(run));
    const now = Date.now();
    insertEvent.run(run, at, startedBody(index, now));
    insertEvent.run(run, at + 1, finishedBody(index, now, result));
    updateRun.run(status, at + 1, now, run);
  };
  const stagesFrom = async (run: number, first: number, request: RunRequest): Promise<string> => {
    for (let index = first; index < request.stages; index += 1) {
      const status = index === request.stages - 1 ? request.end : "running";
      const durable = commit(() => {
        if (index === 0) insertRun.run(run, Date.now());
        stage(run, index * 2 + 1, index, status);
      });
      if (durable !== undefined) await durable;
    }
    return String(run);
  };
  return {
    facts,
    ...createQueries(db),
    prepare: async () => undefined,
    run(request) {
      newest += 1;
      return stagesFrom(newest, 0, request);
    },
    async resume() {
      const row = db.prepare("SELECT id FROM runs WHERE status = 'running'").get() as { id: number };
      const rows = db.prepare("SELECT seq, body FROM events WHERE run = ? ORDER BY seq").all(row.id) as {
        body: string;
      }[];
      let finished = 0;
      for (const { body } of rows) if ((JSON.parse(body) as { type: string }).type === "stage.finished") finished += 1;
      return stagesFrom(row.id, finished, { stages: finished + 1, shape: "line", end: "succeeded" });
    },
    async close() {
      db.close();
    },
  };
}

function createQueries(db: DatabaseSyncInstance): Pick<StoreSession, "list" | "show"> {
  const page = db.prepare("SELECT * FROM runs WHERE id < ? ORDER BY id DESC LIMIT 20");
  const failed = db.prepare("SELECT * FROM runs WHERE status = 'failed' AND id < ? ORDER BY id DESC LIMIT 20");
  const one = db.prepare("SELECT * FROM runs WHERE id = ?");
  const events = db.prepare("SELECT seq, body FROM events WHERE run = ? ORDER BY seq");
  return {
    async list(request: ListRequest): Promise<ListPage> {
      const cursor = request.cursor === null ? Number.MAX_SAFE_INTEGER : Number(request.cursor);
      const rows = (request.failedOnly ? failed : page).all(cursor) as { id: number }[];
      return { rows: rows.length, next: rows.length < 20 ? null : String(rows.at(-1)?.id) };
    },
    async show(run: string): Promise<number> {
      one.get(Number(run));
      const rows = events.all(Number(run)) as { body: string }[];
      for (const { body } of rows) JSON.parse(body);
      return rows.length;
    },
  };
}

function startedBody(index: number, now: number): string {
  return `{"at":${now},"attempt":1,"rule":"blueprint.allow[0]","stage":"s${index % 10}","type":"stage.started","visit":1}`;
}

function finishedBody(index: number, now: number, result: string): string {
  return `{"at":${now},"attempt":1,"cause":"ok","outcome":"success","output":"${result}","stage":"s${index % 10}","type":"stage.finished"}`;
}
