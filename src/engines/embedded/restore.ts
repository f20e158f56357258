/** Reads a run back from the journal, page by page, with the plan it began with. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Restored } from "../../kernel/hosting.ts";
import { restore } from "../../kernel/replay.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Journal } from "../../ports/store/journal.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { RunEvent } from "../../run/events.ts";

const PAGE = 5000;

export async function readAll(journal: Journal, run: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await journal.read(run, events.length, PAGE);
    for (const stored of page) events.push(stored.event);
    if (page.length < PAGE) return events;
  }
}

export async function planOf(journal: Journal, row: Pick<RunRow, "run" | "plan">): Promise<Plan> {
  const plan = await journal.plan(row.plan);
  if (plan === undefined) throw pawlError(RUN_ERRORS, "RUN_PLAN_MISSING", { run: row.run, plan: row.plan });
  return plan;
}

/** Nothing is decided from events that are not those which were stored. */
export async function requireIntact(journal: Pick<Journal, "verify">, run: RunId): Promise<void> {
  const report = await journal.verify(run);
  if (report.intact) return;
  const { seq, problem } = report;
  throw pawlError(RUN_ERRORS, "RUN_DAMAGED", { run, seq, problem });
}

export async function restoreRun(journal: Journal, row: Pick<RunRow, "run" | "plan">): Promise<Restored> {
  return restore(row.run, await planOf(journal, row), await readAll(journal, row.run));
}
