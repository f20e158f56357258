/** Which runs a kill is about. */
import type { KillScope } from "../../ports/stop/kill-switch.ts";
import type { RunPage, RunQuery, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { isTerminal, STATUSES } from "../../run/reasons.ts";

const PAGE = 500;
const OPEN = STATUSES.filter((status) => !isTerminal(status));

/** The run and its open children, or every open run; children first. */
export async function openRuns(store: Store, scope: KillScope): Promise<readonly RunRow[]> {
  const roots = scope === "all" ? await openRoots(store) : [await store.runs.get(scope)];
  const found = await Promise.all(roots.map((row) => (row === undefined ? [] : withChildren(store, row))));
  return found.flat();
}

async function openRoots(store: Store): Promise<readonly RunRow[]> {
  const queries = OPEN.flatMap((status) => [{ status }, { status, drills: true } as const]);
  return (await Promise.all(queries.map((query) => listAll(store, query)))).flat();
}

async function withChildren(store: Store, row: RunRow): Promise<readonly RunRow[]> {
  const children = (await listAll(store, { parent: row.run })).filter(({ status }) => !isTerminal(status));
  const below = await Promise.all(children.map((child) => withChildren(store, child)));
  return [...below.flat(), ...(isTerminal(row.status) ? [] : [row])];
}

async function listAll(store: Store, query: Omit<RunQuery, "limit">): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  let cursor: string | null = null;
  do {
    const page: RunPage = await store.runs.list({ ...query, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return rows;
}
