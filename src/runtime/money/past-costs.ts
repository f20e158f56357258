/** What the newest runs of a blueprint have cost, from their journals. The work is bounded, however many runs there are. */
import type { RunId } from "../../base/ids.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { type PastCost, pastCost, type RunCost } from "../../limits/cost/past-cost.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { isTerminal } from "../../run/reasons.ts";
import { MERGE, outlayOf, type RunOutlay } from "../../run/record/run-cost.ts";
import { readPast } from "../past.ts";

const MOST_EVENTS = 200_000;
const DEEPEST = 16;
const NOTHING = { usage: NO_USAGE, merged: 0 } as const;

export interface CostsOfRuns extends PastCost {
  readonly blueprint: string;
  /** Runs that are not over, and therefore not counted. */
  readonly open: number;
  /** There are older runs that were not looked at. */
  readonly hasOlder: boolean;
}

export async function costsOfRuns(store: Store, blueprint: string, limit: number): Promise<CostsOfRuns> {
  // Runs of drills, and child runs, are not listed: nobody's work, or counted with the run that started them.
  const { rows, next } = await store.runs.list({ blueprint, limit });
  const costs: RunCost[] = [];
  let [open, read, looked] = [0, 0, 0];
  for (const row of rows) {
    if (read > 0 && read + row.events > MOST_EVENTS) break;
    looked += 1;
    if (!isTerminal(row.status)) open += 1;
    else {
      read += row.events;
      costs.push(await costOf(store, row));
    }
  }
  return { blueprint, ...pastCost(costs), open, hasOlder: next !== null || looked < rows.length };
}

async function costOf(store: Store, { run, status }: RunRow): Promise<RunCost> {
  const { usage, merged } = await wholeOutlay(store, run);
  return { usage, merged, succeeded: status === "succeeded" };
}

/** What one run has cost, with the changes that its child runs merged. Rejects with RUN_NOT_FOUND. */
export async function wholeOutlay(store: Store, run: RunId, depth = 0): Promise<Omit<RunOutlay, "children">> {
  const row = await store.runs.get(run);
  const known = row === undefined ? undefined : await store.journal.plan(row.plan);
  // Most runs spend nothing, and then nothing of them is read.
  if (depth > DEEPEST || (known !== undefined && isFree(known))) return NOTHING;
  const { plan, events } = await readPast(store, run);
  const { usage, merged, children } = outlayOf(plan, events);
  let below = 0;
  for (const child of children as readonly RunId[]) {
    // One that was refused was never stored.
    if ((await store.runs.get(child)) !== undefined) below += (await wholeOutlay(store, child, depth + 1)).merged;
  }
  return { usage, merged: merged + below };
}

function isFree({ bound, stages, children }: Plan): boolean {
  const leaves = stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
  const merges = leaves.some((leaf) => leaf.kind === "action" && leaf.action === MERGE);
  return bound.tokens === 0 && bound.microUsd === 0 && !merges && children.length === 0;
}

export function noCosts(blueprint: string): CostsOfRuns {
  return { blueprint, ...pastCost([]), open: 0, hasOlder: false };
}
