/** Gathers what ended on a day. Runs of other days are not looked at. */
import type { RunId } from "../../base/ids.ts";
import { type DayRun, type Digest, digestOf } from "../../loops/coordinate/digest.ts";
import type { Changes } from "../../loops/coordinate/merges/changes.ts";
import type { RunPage, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import type { TerminalStatus } from "../../run/reasons.ts";
import { outlayOf } from "../../run/record/run-cost.ts";
import { readPast } from "../past.ts";

export interface Day {
  /** As people write it: `2026-11-16`. */
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

const PAGE = 500;

export async function digestOfDay(store: Store | null, changes: Changes, { name, from, until }: Day): Promise<Digest> {
  const rows = store === null ? [] : await rowsWithin(store, from, until);
  const runs: DayRun[] = [];
  for (const row of rows) runs.push(await dayRun(store as Store, row));
  const ended = await changes.endedWithin(from, until);
  return digestOf({ day: name, runs, ended, standing: Object.values(await changes.standing()) });
}

async function rowsWithin({ runs }: Store, from: number, until: number): Promise<readonly RunRow[]> {
  const found: RunRow[] = [];
  let cursor: string | null = null;
  do {
    const page: RunPage = await runs.ended({ from, until, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    found.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

async function dayRun(store: Store, { run, blueprint: loop, status }: RunRow): Promise<DayRun> {
  const { plan, events } = await readPast(store, run as RunId);
  const { tokens, microUsd } = outlayOf(plan, events).usage;
  const end = events.at(-1);
  const { reason, detail = null } = end?.type === "run.finished" ? end : { reason: status };
  return { run, loop, status: status as TerminalStatus, reason, detail, tokens, microUsd };
}
