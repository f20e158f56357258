/** Lists of runs in memory: a page is found by walking back from its cursor. */
import type { EndQuery, RunIndex, RunPage, RunQuery, RunRow } from "../../../ports/store/run-index.ts";
import { isTerminal } from "../../../run/reasons.ts";
import type { MemoryRun, MemoryState } from "../state.ts";

interface IndexParts {
  readonly state: MemoryState;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryRunIndex({ state, guarded }: IndexParts): RunIndex {
  function list(query: RunQuery): RunPage {
    const before = query.cursor === undefined ? state.order.length + 1 : parseCursor(query.cursor, state.order.length);
    const found: MemoryRun[] = [];
    for (let i = before - 2; i >= 0 && found.length <= query.limit; i -= 1) {
      const run = state.order[i] as MemoryRun;
      if (fits(run, query)) found.push(run);
    }
    const page = found.slice(0, Math.max(0, query.limit));
    const last = page[page.length - 1];
    return { rows: page.map(rowOf), next: found.length > page.length && last !== undefined ? String(last.id) : null };
  }

  function ended({ from, until, cursor, limit }: EndQuery): RunPage {
    const found = state.order
      .filter((run) => fits(run, { limit }) && isTerminal(run.row.status))
      .filter(({ row: { updatedAt } }) => updatedAt >= from && updatedAt < until)
      .sort((a, b) => a.row.updatedAt - b.row.updatedAt || a.id - b.id);
    const at = cursor === undefined ? 0 : found.findIndex(({ id }) => String(id) === cursor) + 1 || found.length;
    const page = found.slice(at, at + Math.max(0, limit));
    const last = page[page.length - 1];
    return { rows: page.map(rowOf), next: last !== undefined && found.length > at + limit ? String(last.id) : null };
  }

  function find(prefix: string, limit: number): readonly RunRow[] {
    if (prefix === "@last") return list({ limit: Math.min(limit, 1) }).rows;
    const names = [...state.runs.keys()].filter((name) => name.startsWith(prefix)).sort();
    return names.slice(0, Math.max(0, limit)).map((name) => rowOf(state.runs.get(name) as MemoryRun));
  }

  return {
    list: (query) => guarded(() => list(query)),
    ended: (query) => guarded(() => ended(query)),
    get: (run) =>
      guarded(() => {
        const found = state.runs.get(run);
        return found === undefined ? undefined : rowOf(found);
      }),
    find: (prefix, limit) => guarded(() => find(prefix, limit)),
    blueprints: (after, limit) =>
      guarded(() => {
        const own = state.order.filter(({ row }) => row.parent === null && row.drill === undefined);
        const names = [...new Set(own.map(({ row }) => row.blueprint))].filter((name) => name > after).sort();
        return names.slice(0, Math.max(0, limit));
      }),
  };
}

function fits({ row }: MemoryRun, { status, blueprint, parent, drills }: RunQuery): boolean {
  return (
    row.parent === (parent ?? null) &&
    row.drill === drills &&
    (status === undefined || row.status === status) &&
    (blueprint === undefined || row.blueprint === blueprint)
  );
}

export function rowOf({ row, owner }: MemoryRun): RunRow {
  const { pid, hostname, since } = owner ?? { pid: 0, hostname: "", since: 0 };
  return { ...row, holder: owner?.alive === true ? { pid, hostname, since } : null };
}

/** A cursor that no page gave leads to no row. */
function parseCursor(cursor: string, most: number): number {
  return /^[0-9]{1,15}$/.test(cursor) ? Math.min(Number(cursor), most + 1) : 0;
}
