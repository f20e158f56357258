/** Inserts events a few at a time: a call into SQLite costs about as much as the row itself. */
import type { Database, SqlValue, Statement } from "../driver.ts";

export interface EventRows {
  /** `run` is the row id of the run. The events may reach the table only with `flush`. */
  add(run: number, seq: number, bodies: readonly string[], hashes: readonly string[]): void;
  /** Before anything is read, and before the commit. */
  flush(): void;
  /** After a commit: how many it has made durable. */
  takeCount(): number;
  /** After a rollback. */
  drop(): void;
}

const AT_ONCE = 8;
/** What most appends have: the end of a stage and the beginning of the next. */
const PAIR = 2;
const COLUMNS = 4;

export function createEventRows(db: Database): EventRows {
  const row = `(${Array(COLUMNS).fill("?").join(", ")})`;
  const insert = (rows: number): Statement<unknown> =>
    db.prepare(`INSERT INTO events(run, seq, body, hash) VALUES ${Array(rows).fill(row).join(", ")}`);
  const [insertOne, insertPair, insertMany] = [insert(1), insert(PAIR), insert(AT_ONCE)];
  const waiting: SqlValue[] = [];
  let added = 0;

  return {
    add(run, seq, bodies, hashes) {
      added += bodies.length;
      for (let i = 0; i < bodies.length; i += 1) {
        waiting.push(run, seq + i, bodies[i] as string, hashes[i] as string);
        if (waiting.length < AT_ONCE * COLUMNS) continue;
        // `get` is the cheapest call: it makes no report of what was changed.
        insertMany.get(...waiting);
        waiting.length = 0;
      }
    },
    flush() {
      while (waiting.length >= PAIR * COLUMNS) insertPair.get(...waiting.splice(0, PAIR * COLUMNS));
      if (waiting.length > 0) insertOne.get(...waiting);
      waiting.length = 0;
    },
    takeCount() {
      const count = added;
      added = 0;
      return count;
    },
    drop() {
      waiting.length = 0;
      added = 0;
    },
  };
}
