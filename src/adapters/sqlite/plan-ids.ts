/** Plans are stored once, however many runs they have; the row of a run names its plan by a number. */
import { canonical } from "../../base/json.ts";
import type { Plan, PlanJson } from "../../plan/plan.ts";
import type { Database } from "./driver.ts";

export interface PlanIds {
  /** The row id of the plan, stored now if it is new. */
  idOf(plan: Plan): number;
  /** After a rollback. */
  clear(): void;
}

const MOST_PLANS = 1000;

export function createPlanIds(db: Database): PlanIds {
  const select = db.prepare<{ id: number }>("SELECT id FROM plans WHERE fingerprint = ?1");
  const insert = db.prepare("INSERT INTO plans(fingerprint, body) VALUES(?1, ?2)");
  const known = new Map<string, number>();

  function store(plan: Plan): number {
    return Number(insert.run(plan.fingerprint, canonical(plan as PlanJson)).lastInsertRowid);
  }

  return {
    idOf(plan) {
      const remembered = known.get(plan.fingerprint);
      if (remembered !== undefined) return remembered;
      const id = select.get(plan.fingerprint)?.id ?? store(plan);
      if (known.size >= MOST_PLANS) known.clear();
      known.set(plan.fingerprint, id);
      return id;
    },
    clear: () => known.clear(),
  };
}
