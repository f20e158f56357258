/** Questions of people about money and time. Whoever answers them writes nothing. */
import type { RunId } from "../../base/ids.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Why } from "../../loops/why/why.ts";
import type { RunOutlay } from "../../run/record/run-cost.ts";
import type { BudgetReport } from "./budget.ts";
import type { LoopFiles } from "./loop-files.ts";
import type { CostsOfRuns } from "./past-costs.ts";

/** Why nothing happens with one loop. */
export type LoopReason = Why;

export interface MoneyActions {
  /**
   * Every cap of the project as it stands, for runs of a level (L1); `isPattern`: for runs of a pattern, which may be one that
   * comes with Pawl. Writes nothing.
   */
  budget(level?: Level, isPattern?: boolean): Promise<BudgetReport>;
  /** The loop-engineering files of the project. Writes nothing. */
  loopFiles(): Promise<LoopFiles>;
  /** What the newest runs of a blueprint have cost, at most `limit` of them; runs of drills are left out. */
  costs(blueprint: string, limit: number): Promise<CostsOfRuns>;
  /** What a run itself has cost so far. Rejects with RUN_NOT_FOUND. */
  outlay(run: RunId): Promise<Omit<RunOutlay, "children">>;
  /** For this loop, or for each that has runs or a blueprint, the one reason why nothing happens. */
  why(loop?: string): Promise<readonly LoopReason[]>;
}
