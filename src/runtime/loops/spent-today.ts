/** How much of its daily tokens a loop has left: the cap that binds it first. */
import type { Level } from "../../blueprint/blueprint.ts";
import { type BudgetParts, budgetOf, tightestDay } from "../money/budget.ts";

/** null: no cap of tokens a day concerns it. Caps that cannot be read stop every run before it begins. */
export async function spentToday(
  parts: BudgetParts,
  loop: string,
  level: Level,
): Promise<{ readonly spent: number; readonly cap: number } | null> {
  const { caps } = await budgetOf(parts, level, true);
  const tightest = caps.ok ? tightestDay(caps.value, loop) : null;
  return tightest === null ? null : { spent: tightest.standing?.spent ?? 0, cap: tightest.amount };
}
