/** Lists of runs. Every query walks one index from one place, so its cost is that of the page. */
import type { RunId } from "../../base/ids.ts";
import type { EndQuery, RunIndex, RunPage, RunQuery, RunRow } from "../../ports/store/run-index.ts";
import { DRILLS } from "../../run/record/row.ts";
import type { Database, SqlValue, Statement } from "./driver.ts";
import { COLUMNS, createFinisher, type IndexRow } from "./events/run-rows.ts";
import type { Hosts } from "./hosts.ts";

interface IndexParts {
  readonly db: Database;
  readonly hosts: Hosts;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

const LAST_ID = Number.MAX_SAFE_INTEGER;
/** Sorts after every character of a run id. */
const AFTER_ALL = "\u{10ffff}";

/** One statement for each choice of filters, so that each finds its index. */
export const LIST_SQL = {
  all: listSql(""),
  status: listSql("AND status = ?4"),
  blueprint: listSql("AND blueprint = ?5"),
  both: listSql("AND blueprint = ?5 AND status = ?4"),
} as const;

export const NEXT_NAME_SQL =
  "SELECT blueprint FROM runs WHERE parent IS NULL AND blueprint > ?1 ORDER BY blueprint LIMIT 1";

/** What is over, in the words of the index: it is found by them. */
export const ENDED_SQL = `SELECT ${COLUMNS} FROM runs WHERE parent IS NULL
  AND status NOT IN ('queued', 'running', 'waiting', 'paused')
  AND (updated_at, id) > (?1, ?2) AND updated_at < ?3 ORDER BY updated_at, id LIMIT ?4`;

function listSql(filter: string): string {
  return `SELECT ${COLUMNS} FROM runs WHERE parent IS ?1 ${filter} AND id < ?2 ORDER BY id DESC LIMIT ?3`;
}

export function createSqliteRunIndex({ db, hosts, guarded }: IndexParts): RunIndex {
  const { finish, pageOf } = createFinisher(hosts);
  const lists = {
    all: db.prepare<IndexRow>(LIST_SQL.all),
    status: db.prepare<IndexRow>(LIST_SQL.status),
    blueprint: db.prepare<IndexRow>(LIST_SQL.blueprint),
    both: db.prepare<IndexRow>(LIST_SQL.both),
  };
  const byEnd = db.prepare<IndexRow>(ENDED_SQL);
  const byRun = db.prepare<IndexRow>(`SELECT ${COLUMNS} FROM runs WHERE run = ?1`);
  // One step to the next name: runs of the same name are not walked.
  const nextName = db.prepare<{ blueprint: string }>(NEXT_NAME_SQL);
  const byPrefix = db.prepare<IndexRow>(
    `SELECT ${COLUMNS} FROM runs WHERE run >= ?1 AND run < ?2 ORDER BY run LIMIT ?3`,
  );

  function list(query: RunQuery): RunPage {
    const { status, blueprint, parent, drills } = query;
    const limit = limitOf(query);
    const before = query.cursor === undefined ? LAST_ID : parseCursor(query.cursor);
    const values: SqlValue[] = [drills === true ? DRILLS : (parent ?? null), before, limit + 1];
    const rows = pick(lists, query).all(...values, ...filterValues(status, blueprint));
    return pageOf(rows, limit, ({ id }) => String(id));
  }

  function ended(query: EndQuery): RunPage {
    const limit = limitOf(query);
    const after = query.cursor === undefined ? [query.from, -1] : parseEndCursor(query.cursor);
    return pageOf(byEnd.all(...after, query.until, limit + 1), limit, ({ updatedAt, id }) => `${updatedAt}.${id}`);
  }

  function find(prefix: string, limit: number): readonly RunRow[] {
    if (prefix === "@last") return list({ limit: Math.min(limit, 1) }).rows;
    return finish(byPrefix.all(prefix, prefix + AFTER_ALL, Math.max(0, Math.trunc(limit))));
  }

  function blueprints(after: string, limit: number): readonly string[] {
    const names: string[] = [];
    for (let last = after; names.length < limit; ) {
      const next = nextName.get(last);
      if (next === undefined) break;
      last = next.blueprint;
      names.push(last);
    }
    return names;
  }

  return {
    list: (query) => guarded(() => list(query)),
    ended: (query) => guarded(() => ended(query)),
    get: (run: RunId) =>
      guarded(() => {
        const row = byRun.get(run);
        return row === undefined ? undefined : finish([row])[0];
      }),
    find: (prefix, limit) => guarded(() => find(prefix, limit)),
    blueprints: (after, limit) => guarded(() => blueprints(after, limit)),
  };
}

function pick(
  lists: Record<keyof typeof LIST_SQL, Statement<IndexRow>>,
  { status, blueprint }: RunQuery,
): Statement<IndexRow> {
  if (status === undefined) return blueprint === undefined ? lists.all : lists.blueprint;
  return blueprint === undefined ? lists.status : lists.both;
}

/** Values up to the highest number that the chosen statement knows. */
function filterValues(status: string | undefined, blueprint: string | undefined): SqlValue[] {
  if (blueprint !== undefined) return [status ?? null, blueprint];
  return status === undefined ? [] : [status];
}

function limitOf({ limit }: Pick<RunQuery, "limit">): number {
  return Math.max(0, Math.min(Math.trunc(limit), 10_000));
}

/** A cursor that no page gave leads to no row. */
function parseEndCursor(cursor: string): readonly [number, number] {
  const [, at, id] = /^([0-9]{1,15})\.([0-9]{1,15})$/.exec(cursor) ?? [];
  return at === undefined ? [LAST_ID, LAST_ID] : [Number(at), Number(id)];
}

/** A cursor that no page gave leads to no row. */
function parseCursor(cursor: string): number {
  return /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
}
