/** Makes the index of waiting runs from the journal, and says where it differs from it. */
import type { RunEvent } from "../../../run/events.ts";
import { canChildGoOn, type PlacedEvent, waitingAfter } from "../../../run/record/record-waiting.ts";
import { isWaitingForNothing, ready, WAITING_TYPES, type Waiting } from "../../../run/record/waiting.ts";
import type { Database } from "../driver.ts";
import { columnsOf, createWaitingRows, waitingOf } from "./waiting-rows.ts";

interface OpenRun {
  readonly id: number;
  readonly run: string;
}

interface EventRow {
  readonly seq: number;
  readonly body: string;
}

type Columns = ReturnType<typeof columnsOf>;

const OPEN = `SELECT id, run FROM runs WHERE status IN ('queued', 'running', 'waiting', 'paused') ORDER BY id DESC`;
/** What cannot be read is for the check of the chain to tell. */
const EVENTS = `SELECT seq, body FROM events WHERE run = ?1
  AND CASE WHEN json_valid(body) THEN json_extract(body, '$.type') END IN (${[...WAITING_TYPES].map((type) => `'${type}'`).join(", ")})
  ORDER BY seq`;
const STRAY = `SELECT coalesce(run, 'number ' || run_id) AS run FROM waits LEFT JOIN runs ON runs.id = run_id
  WHERE status IS NULL OR status NOT IN ('queued', 'running', 'waiting', 'paused') ORDER BY run_id`;

function createFold(db: Database): (run: OpenRun) => Waiting {
  const events = db.prepare<EventRow>(EVENTS);
  return ({ id }) => waitingAfter(placed(events.iterate(id)));
}

function* placed(rows: Iterable<EventRow>): Iterable<PlacedEvent> {
  for (const { seq, body } of rows) yield { seq, event: JSON.parse(body) as RunEvent };
}

/** Inside a transaction. Child runs come first: they are newer than those that have started them. */
export function rebuildWaits(db: Database): void {
  const rows = createWaitingRows(db);
  const fold = createFold(db);
  db.exec("DELETE FROM waits");
  for (const open of db.prepare<OpenRun>(OPEN).all()) {
    const waiting = fold(open);
    const rest = canChildGoOn(rows, waiting) ? ready(waiting.rest) : waiting.rest;
    if (!isWaitingForNothing(waiting)) rows.set(open.run, { ...waiting, rest });
  }
}

/** One sentence for each run of which the index says something else than its journal. */
export function waitsProblems(db: Database): readonly string[] {
  const rows = createWaitingRows(db);
  const fold = createFold(db);
  const stored = db.prepare<Record<"body" | "due" | "until" | "asks" | "ready", never>>(
    "SELECT body, due, until, asks, ready FROM waits WHERE run_id = ?1",
  );
  const isSame = (open: OpenRun): boolean => {
    const row = stored.get(open.id);
    const found = waitingOf(row?.body ?? null);
    const folded = fold(open);
    // A child run that could go on may have come to rest again: to look at its parent once too often does no harm.
    const isReady = canChildGoOn(rows, folded) || (folded.children.length > 0 && found.rest?.isReady === true);
    const wanted = isReady ? { ...folded, rest: ready(folded.rest) } : folded;
    if (row === undefined || isWaitingForNothing(wanted)) return row === undefined && isWaitingForNothing(wanted);
    const columns: Columns = [row.body, row.due, row.until, row.asks, row.ready];
    return columnsOf(wanted).every((value, i) => value === columns[i]);
  };
  const wrong = db
    .prepare<OpenRun>(OPEN)
    .all()
    .filter((open) => !isSame(open));
  const stray = db.prepare<Pick<OpenRun, "run">>(STRAY).all();
  return [...wrong, ...stray].map(
    ({ run }) => `the index of waiting runs does not say what the journal of ${run} says`,
  );
}
