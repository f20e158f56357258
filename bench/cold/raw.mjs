/** A new process that stores one stage with nothing but SQLite, then prints how long it was since its start. */
const major = Number(process.versions.node.split(".")[0]);
const { DatabaseSync } = await import(major >= 24 ? "node:sqlite" : "@photostructure/sqlite");

const db = new DatabaseSync("raw.db");
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE runs (id INTEGER PRIMARY KEY, status TEXT NOT NULL, seq INTEGER NOT NULL, updated INTEGER NOT NULL) STRICT;
  CREATE INDEX runs_by_status ON runs (status, id);
  CREATE TABLE events (run INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID, STRICT;
`);
const now = Date.now();
const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?)");
db.exec("BEGIN IMMEDIATE");
db.prepare("INSERT INTO runs VALUES (1, 'succeeded', 2, ?)").run(now);
insertEvent.run(
  1,
  1,
  JSON.stringify({ at: now, attempt: 1, rule: "plan", stage: "s0", type: "stage.started", visit: 1 }),
);
insertEvent.run(1, 2, JSON.stringify({ at: now, outcome: "success", output: "x".repeat(100), type: "stage.finished" }));
db.exec("COMMIT");
process.stdout.write(`${performance.now()}\n`);
db.close();
