/** What needs the whole journal of a run: going on from an earlier moment of it, and the trees that its stages left. */
import { pawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { Plan } from "../plan/plan.ts";
import type { NewRun } from "../ports/engine.ts";
import type { Store } from "../ports/store/store.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import type { RunEvent, StoredEvent } from "../run/events.ts";
import { historyBefore, type RunTrees, treesOf } from "../run/trees.ts";

const PAGE = 1000;

interface Past {
  readonly plan: Plan;
  readonly stored: readonly StoredEvent[];
  readonly events: readonly RunEvent[];
}

/** Where the journals of runs are read. */
export interface Journals {
  readonly runs: Pick<Store["runs"], "get">;
  readonly journal: Pick<Store["journal"], "plan" | "read">;
}

export async function readPast({ runs, journal }: Journals, run: RunId): Promise<Past> {
  const row = await runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  const plan = await journal.plan(row.plan);
  if (plan === undefined) throw pawlError(RUN_ERRORS, "RUN_PLAN_MISSING", { run, plan: row.plan });
  const stored = await readStored({ journal }, run);
  return { plan, stored, events: stored.map(({ event }) => event) };
}

export async function readEvents(store: Pick<Store, "journal">, run: RunId): Promise<readonly RunEvent[]> {
  return (await readStored(store, run)).map(({ event }) => event);
}

/** `after`: without the events up to this place. */
export async function readStored(
  { journal }: Pick<Journals, "journal">,
  run: RunId,
  after = 0,
): Promise<readonly StoredEvent[]> {
  const stored: StoredEvent[] = [];
  for (let page = await journal.read(run, after, PAGE); page.length > 0; ) {
    stored.push(...page);
    page = await journal.read(run, after + stored.length, PAGE);
  }
  return stored;
}

export async function treesOfRun(store: Store, run: RunId): Promise<RunTrees> {
  const { plan, events } = await readPast(store, run);
  const trees = treesOf(plan, events);
  if (trees === null) throw pawlError(RUN_ERRORS, "RUN_TREE_MISSING", { run });
  return trees;
}

/** The new run that goes on where another began a stage. */
export async function forkOf(store: Store, run: RunId, stage: string): Promise<Omit<NewRun, "run">> {
  const { plan, events } = await readPast(store, run);
  const [created] = events;
  const history = historyBefore(events, stage);
  if (created?.type !== "run.created" || history === null)
    throw pawlError(RUN_ERRORS, "RUN_STAGE_NOT_REACHED", { run, stage });
  const origin = created.forked?.origin ?? run;
  const fork = { run, stage, origin, at: created.at, history };
  const { params, tree = null, base = tree, drill } = created;
  return { plan, params, tree, base, fork, ...(drill === undefined ? {} : { drill }) };
}
