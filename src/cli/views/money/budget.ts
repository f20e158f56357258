/** Caps as a table, and the line of loop-runtime about the day. */
import type { BudgetReport, CapStanding } from "../../../runtime/money/budget.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { formatAge, formatTime } from "../text/format-time.ts";
import { renderTable } from "../text/table.ts";
import { formatAmount, formatCount, renderAmounts, renderCap } from "./amounts.ts";

interface BudgetView {
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
}

export function renderCaps(caps: readonly CapStanding[], { columns, paint }: BudgetView): string[] {
  const rows = caps.map((cap) => {
    const { account, standing, unit, source } = cap;
    const who = account.scope === "fleet" ? "all runs" : oneLine(`${account.scope} ${account.name}`);
    if (standing === null) return [who, renderCap(cap), "", "", "", "each run", oneLine(source)];
    const { spent, reserved, left, resetsAt } = standing;
    return [
      who,
      renderCap(cap),
      formatAmount(spent, unit),
      formatAmount(reserved, unit),
      { text: formatAmount(left, unit), paint: left === 0 ? paint.red : paint.green },
      resetsAt === null ? "bit by bit" : formatTime(resetsAt).slice(5, 16),
      oneLine(source),
    ];
  });
  const head = ["who", "cap", "spent", "held", "left", "resets UTC", "from"];
  return renderTable({ head, rows, whole: 2 }, columns, paint.dim);
}

export function renderOpen({ open, hasMore }: Pick<BudgetReport, "open" | "hasMore">, view: BudgetView): string[] {
  const rows = open.map(({ key, amounts, at }) => [oneLine(key), renderAmounts(amounts), formatAge(at, view.now)]);
  const lines = renderTable({ head: ["open reservation", "held", "since"], rows }, view.columns, view.paint.dim);
  return hasMore ? [...lines, view.paint.dim("and more")] : lines;
}

/** Exactly as loop-runtime prints it. */
export function renderBudgetLine({ standing, amount }: Pick<CapStanding, "standing" | "amount">): string {
  return `Budget: ${formatCount(standing?.spent ?? 0)} / ${formatCount(amount)} tokens spent today.`;
}

export const NO_CAPS: readonly string[] = [
  "no caps: nothing limits what all runs together may spend.",
  "",
  "Set one in pawl.yaml:",
  "  budget: { day: { usd: 25, tokens: 2m }, loops: { my-blueprint: { day: { tokens: 500k } } } }",
  "or in loop-budget.md, both at the project root:",
  "  | Loop | Max runs/day | Max tokens/day | Max sub-agent spawns/run |",
  "  |------|--------------|----------------|--------------------------|",
  "  | my-blueprint | 24 | 500k | 3 |",
];
