/** Waiting runs on SQLite. Every query walks one index from one place. */
import type { WaitingPage, WaitingQuery, WaitingRun, WaitingRuns } from "../../../ports/store/waiting-runs.ts";
import { DRILLS } from "../../../run/record/row.ts";
import { nextDue } from "../../../run/record/waiting.ts";
import type { Database } from "../driver.ts";
import { COLUMNS, createFinisher, type IndexRow } from "../events/run-rows.ts";
import type { Hosts } from "../hosts.ts";
import { waitingOf } from "./waiting-rows.ts";

interface WaitingParts {
  readonly db: Database;
  readonly hosts: Hosts;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

interface FoundRow extends IndexRow {
  readonly body: string;
}

type Place = readonly [at: number, id: number];

const LAST_ID = Number.MAX_SAFE_INTEGER;
const MOST_ROWS = 10_000;
const FROM = `SELECT ${COLUMNS}, body FROM waits JOIN runs ON runs.id = waits.run_id`;
/** An index on the parent must not be used: the rows are in the order of the others. */
const PARENT = "coalesce(parent, '')";

export const WAITING_SQL = {
  get: `${FROM} WHERE waits.run_id = (SELECT id FROM runs WHERE run = ?1)`,
  asking: `${FROM} WHERE asks = 1 AND run_id < ?1 AND ${PARENT} <> '${DRILLS}' ORDER BY run_id DESC LIMIT ?2`,
  answered: `${FROM} WHERE ready = 1 AND run_id > ?1 AND ${PARENT} = '' ORDER BY run_id LIMIT ?2`,
  parked: `${FROM} WHERE until IS NOT NULL AND (until, run_id) > (?1, ?2) AND until <= ?3 AND ${PARENT} = ''
    ORDER BY until, run_id LIMIT ?4`,
  due: `${FROM} WHERE due IS NOT NULL AND (due, run_id) > (?1, ?2) AND due <= ?3 AND ${PARENT} <> '${DRILLS}'
    ORDER BY due, run_id LIMIT ?4`,
} as const;

export function createSqliteWaitingRuns({ db, hosts, guarded }: WaitingParts): WaitingRuns {
  const { finish } = createFinisher(hosts);
  const byRun = db.prepare<FoundRow>(WAITING_SQL.get);
  const asking = db.prepare<FoundRow>(WAITING_SQL.asking);
  const answered = db.prepare<FoundRow>(WAITING_SQL.answered);
  const parked = db.prepare<FoundRow>(WAITING_SQL.parked);
  const due = db.prepare<FoundRow>(WAITING_SQL.due);

  function runsOf(rows: readonly FoundRow[]): readonly WaitingRun[] {
    const bare = rows.map(({ body: _, ...row }) => row);
    return finish(bare).flatMap((row, i) => {
      const { rest, questions } = waitingOf(rows[i]?.body ?? null);
      return rest === null ? [] : [{ ...row, rest, questions }];
    });
  }

  /** `cursorOf`: the place behind a row. */
  function pageOf(rows: readonly FoundRow[], limit: number, cursorOf: (row: FoundRow) => string): WaitingPage {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return { runs: runsOf(shown), next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
  }

  return {
    get: (run) => guarded(() => runsOf(byRun.all(run))[0]),
    asking: (query) =>
      guarded(() => {
        const limit = limitOf(query);
        const before = query.cursor === undefined ? LAST_ID : idOf(query.cursor, 0);
        return pageOf(asking.all(before, limit + 1), limit, ({ id }) => String(id));
      }),
    answered: (query) =>
      guarded(() => {
        const limit = limitOf(query);
        const after = query.cursor === undefined ? 0 : idOf(query.cursor, LAST_ID);
        const page = pageOf(answered.all(after, limit + 1), limit, ({ id }) => String(id));
        return { ...page, runs: page.runs.filter(({ holder }) => holder === null) };
      }),
    parked: ({ after, by = LAST_ID, ...query }) =>
      guarded(() => {
        const limit = limitOf(query);
        const rows = parked.all(...placeOf(query, after), by, limit + 1);
        return pageOf(rows, limit, (row) => `${waitingOf(row.body).rest?.until}.${row.id}`);
      }),
    due: ({ by, ...query }) =>
      guarded(() => {
        const limit = limitOf(query);
        const rows = due.all(...placeOf(query), by, limit + 1);
        return pageOf(rows, limit, (row) => `${nextDue(waitingOf(row.body))}.${row.id}`);
      }),
  };
}

function limitOf({ limit }: WaitingQuery): number {
  return Math.max(0, Math.min(Math.trunc(limit), MOST_ROWS));
}

/** A cursor that no page gave leads to no row. */
function idOf(cursor: string, nowhere: number): number {
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : nowhere;
}

/** `after`: where the first page begins. */
function placeOf({ cursor }: WaitingQuery, after = -1): Place {
  if (cursor === undefined) return [after, LAST_ID];
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  return at === undefined ? [LAST_ID, LAST_ID] : [Number(at), Number(id)];
}
