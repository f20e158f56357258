import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { type Database, type Driver, loadDriver } from "../driver.ts";
import { holdHostLock } from "./host-lock.ts";
import { JOURNAL_SCHEMA, migrate } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";
import { type StateFiles, stateFiles } from "./state-files.ts";

/** Another process that makes the journal, stores an event in it and notes it. */
function storeAnEvent(driver: Driver, files: StateFiles): void {
  const db = driver.open(files.file, { timeout: 0 });
  migrate(db, files.file, JOURNAL_SCHEMA);
  db.exec("INSERT INTO events(run, seq, body, hash) VALUES (1, 1, '{}', '')");
  db.close();
  const host = holdHostLock(driver, files.hosts);
  host.note(1);
  onTestFinished(() => host.release(true));
}

/** Calls `between` once, after the `nth` answer of the first connection. */
function afterAnswer(driver: Driver, nth: number, between: () => void): Driver {
  let answers = 0;
  const watched = (db: Database): Database => ({
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    get isOpen() {
      return db.isOpen;
    },
    get isTransaction() {
      return db.isTransaction;
    },
    prepare(sql) {
      const statement = db.prepare<never>(sql);
      return {
        run: (...values) => statement.run(...values),
        all: (...values) => statement.all(...values),
        iterate: (...values) => statement.iterate(...values),
        get(...values) {
          const row = statement.get(...values);
          answers += 1;
          if (answers === nth) between();
          return row;
        },
      };
    },
  });
  return { open: (path, options) => watched(driver.open(path, options)) };
}

test.each([1, 2, 3, 4])(
  "a journal that another process makes after the answer %i of its opening is opened",
  async (nth) => {
    const driver = await loadDriver();
    const files = stateFiles(tempDir());
    let made = false;
    const raced = afterAnswer(driver, nth, () => {
      made = true;
      storeAnEvent(driver, files);
    });
    const db = await openDatabase(raced, files, { readOnly: false, acceptLoss: false });
    onTestFinished(() => db.close());
    expect(made).toBe(true);
    expect(db.prepare("SELECT id, seq FROM events").all()).toEqual([{ id: 1, seq: 1 }]);
  },
);
