/** Rows of runs as they are read, with the living hosts of those that have one. */
import type { Holder, RunPage, RunRow } from "../../../ports/store/run-index.ts";
import { startedBy } from "../../../run/record/row.ts";
import { NEWEST_SQL, UPDATED_SQL } from "../heads.ts";
import type { Hosts } from "../hosts.ts";

export interface IndexRow extends Omit<RunRow, "holder"> {
  readonly id: number;
  readonly owner: string | null;
}

export const COLUMNS = `id, run, blueprint, (SELECT fingerprint FROM plans WHERE plans.id = runs.plan) AS plan, status, reason, parent,
  created_at AS createdAt, CASE WHEN owner IS NULL THEN updated_at ELSE ${UPDATED_SQL} END AS updatedAt,
  CASE WHEN owner IS NULL THEN head_seq ELSE coalesce((SELECT seq ${NEWEST_SQL}), head_seq) END AS events, owner`;

export function createFinisher(hosts: Hosts) {
  /** Rows with their living holders; each host is asked once. */
  function finish(rows: readonly IndexRow[]): readonly RunRow[] {
    const holders = new Map<string, Holder | null>();
    return rows.map(({ id: _, owner, parent, ...row }) => ({
      ...row,
      ...(startedBy(parent) as Pick<RunRow, "parent" | "drill">),
      holder: owner === null ? null : holderOf(owner, holders),
    }));
  }

  function holderOf(owner: string, asked: Map<string, Holder | null>): Holder | null {
    const known = asked.get(owner);
    if (known !== undefined) return known;
    const holder = hosts.isAlive(owner) ? hosts.holder(owner) : null;
    asked.set(owner, holder);
    return holder;
  }

  function pageOf(rows: readonly IndexRow[], limit: number, cursorOf: (row: IndexRow) => string): RunPage {
    const page = rows.slice(0, limit);
    const last = page[page.length - 1];
    return { rows: finish(page), next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
  }

  return { finish, pageOf };
}
