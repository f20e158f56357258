/** The index of waiting runs: one row for each run that waits for something. Everything here runs inside a transaction. */
import { isTerminal, type Status } from "../../../run/reasons.ts";
import {
  type PlacedEvent,
  recordWaiting,
  type WaitingRow,
  type WaitingRows,
} from "../../../run/record/record-waiting.ts";
import { DRILLS } from "../../../run/record/row.ts";
import { isWaitingForNothing, NOT_WAITING, nextDue, type Waiting } from "../../../run/record/waiting.ts";
import type { Database } from "../driver.ts";

interface FoundRow {
  readonly id: number;
  readonly status: Status;
  readonly parent: string | null;
  readonly body: string | null;
}

/** The columns beside `body` are what is searched for: each has an index of the rows that have it. */
export const WAITS_TABLE = `CREATE TABLE waits(
     run_id INTEGER PRIMARY KEY, body TEXT NOT NULL, due INTEGER, until INTEGER, asks INTEGER, ready INTEGER) STRICT;`;
export const WAITS_INDEXES = ["due", "until", "asks", "ready"]
  .map((column) => `CREATE INDEX waits_by_${column} ON waits(${column}) WHERE ${column} IS NOT NULL;`)
  .join("\n   ");

const FIND = `SELECT runs.id AS id, status, parent, body FROM runs LEFT JOIN waits ON waits.run_id = runs.id
  WHERE runs.run = ?1`;
const STORE = `INSERT INTO waits(run_id, body, due, until, asks, ready) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT(run_id) DO UPDATE SET body = ?2, due = ?3, until = ?4, asks = ?5, ready = ?6`;

export function createWaitingRows(db: Database): WaitingRows {
  const find = db.prepare<FoundRow>(FIND);
  const store = db.prepare(STORE);
  const remove = db.prepare("DELETE FROM waits WHERE run_id = ?1");

  return {
    get(run) {
      const row = find.get(run);
      return row === undefined ? undefined : rowOf(row);
    },
    set(run, waiting) {
      const row = find.get(run);
      if (row === undefined) return;
      if (!isWaitingForNothing(waiting)) store.run(row.id, ...columnsOf(waiting));
      else if (row.body !== null) remove.run(row.id);
    },
  };
}

export interface WaitingWriter {
  /** After the row of the run was written: it is read. The places of the events count from `before`. */
  record(run: string, before: number, events: readonly PlacedEvent[]): void;
}

export function createWaitingWriter(db: Database): WaitingWriter {
  const rows = createWaitingRows(db);
  return {
    record(run, before, events) {
      if (events.length === 0) return;
      const placed = events.map(({ event, seq }) => ({ event, seq: before + seq }));
      recordWaiting(rows, run, placed);
    },
  };
}

export function waitingOf(body: string | null): Waiting {
  return body === null ? NOT_WAITING : (JSON.parse(body) as Waiting);
}

function rowOf({ body, parent, status }: FoundRow): WaitingRow {
  return { waiting: waitingOf(body), parent: parent === DRILLS ? null : parent, isOver: isTerminal(status) };
}

export function columnsOf(waiting: Waiting): readonly [string, number | null, number | null, 1 | null, 1 | null] {
  const { rest, questions } = waiting;
  const asks = rest !== null && questions.length > 0 ? 1 : null;
  return [JSON.stringify(waiting), nextDue(waiting), rest?.until ?? null, asks, rest?.isReady === true ? 1 : null];
}
