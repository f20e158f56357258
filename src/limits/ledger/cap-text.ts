/** Caps and refusals in words. */
import { formatUsd } from "../../base/usage.ts";
import type { Cap, Unit } from "./cap.ts";
import type { Refused } from "./reservation.ts";

const WINDOW_TEXT = { run: "in all", day: "a day", week: "in seven days" } as const;

/** Such as `25,000 tokens` or `$2.50`. */
export function amountText(unit: Unit, amount: number): string {
  if (unit === "microUsd") return formatUsd(amount);
  return `${String(amount).replace(/\B(?=(\d{3})+$)/g, ",")} ${unit}`;
}

/** Such as `25,000 tokens a day for loop sweeper (pawl.yaml:3:9)`. */
export function capText({ account, unit, window, amount, source }: Cap): string {
  const { scope, name } = account;
  const who = scope === "fleet" ? "all runs" : `${scope} ${name}`;
  return `${amountText(unit, amount)} ${WINDOW_TEXT[window]} for ${who} (${source})`;
}

export function refusalText({ cap, spent, reserved, asked, ahead }: Refused): string {
  const parts = [
    `${amountText(cap.unit, spent)} spent`,
    ...(reserved > 0 ? [`${amountText(cap.unit, reserved)} held`] : []),
    ...(ahead > 0 ? [`${ahead} before it in line`] : []),
    `${amountText(cap.unit, asked)} asked`,
  ];
  return `the cap is ${capText(cap)}: ${parts.join(", ")}`;
}
