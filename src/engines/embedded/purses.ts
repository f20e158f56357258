/** The purse of a run: it pays, and so does every run that has started it. */

import type { RunId } from "../../base/ids.ts";
import { sharedAttempt } from "../../base/shared-attempt.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Lineage } from "../../limits/ledger/budget.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Budget, Purse } from "../../ports/store/budget.ts";
import type { RunIndex } from "../../ports/store/run-index.ts";

export interface Budgets {
  /** Whether a cap may count runs, or child runs. */
  countsRuns(): boolean;
  /** What pays for a run of this lineage. Runs of a drill are not counted as runs. */
  for(
    lineage: Lineage,
    of: { readonly level: Level; readonly isDrill: boolean; readonly isPattern: boolean },
  ): Promise<Budget>;
}

interface Payer {
  readonly run: RunId;
  readonly plan: Pick<Plan, "name" | "level" | "origin">;
  readonly parent: RunId | null;
  readonly isDrill: boolean;
  /** Names under which it stands in line already. */
  readonly waiting?: readonly string[];
}

interface Paying {
  readonly runs: RunIndex;
  readonly budgets?: Budgets | undefined;
}

/** undefined: nothing is counted here. */
export function purseFor(
  { runs, budgets }: Paying,
  { run, plan, parent, isDrill, waiting = [] }: Payer,
): Purse | undefined {
  if (budgets === undefined) return undefined;
  const open = async (): Promise<Budget> => {
    const lineage = [{ run, loop: plan.name }, ...(await lineageOf(runs, parent))];
    return budgets.for(lineage, { level: plan.level, isDrill, isPattern: plan.origin?.door === "pattern" });
  };
  return {
    isCounted: !isDrill && budgets.countsRuns(),
    waiting: new Set(waiting),
    open: sharedAttempt(open).get,
  };
}

async function lineageOf(runs: RunIndex, parent: RunId | null): Promise<Lineage> {
  const lineage: { readonly run: RunId; readonly loop: string }[] = [];
  for (let above = parent; above !== null; ) {
    const row = await runs.get(above);
    if (row === undefined) break;
    lineage.push({ run: row.run, loop: row.blueprint });
    above = row.parent;
  }
  return lineage;
}
