/** Amounts of money and tokens for people. */
import { formatUsd, type Usage } from "../../../base/usage.ts";
import { type Amounts, type Cap, UNITS, type Unit } from "../../../limits/ledger/cap.ts";

/** `1,234,567` */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

export function formatAmount(amount: number, unit: Unit): string {
  return unit === "microUsd" ? formatUsd(amount) : formatCount(amount);
}

const UNIT_NAMES: Readonly<Record<Unit, string>> = {
  tokens: "tokens",
  microUsd: "USD",
  runs: "runs",
  spawns: "spawns",
};
const WINDOW_NAMES = { run: "a run", day: "a day", week: "in 7 days" } as const;

/** `100,000 tokens a day` */
export function renderCap({ unit, window, amount }: Pick<Cap, "unit" | "window" | "amount">): string {
  return `${formatAmount(amount, unit)}${unit === "microUsd" ? "" : ` ${unitName(unit)}`} ${WINDOW_NAMES[window]}`;
}

function unitName(unit: Unit): string {
  return UNIT_NAMES[unit];
}

/** `200,000 tokens, $1.50` */
export function renderAmounts(amounts: Amounts): string {
  const parts = UNITS.flatMap((unit) => {
    const amount = amounts[unit];
    if (amount === undefined) return [];
    return [unit === "microUsd" ? formatUsd(amount) : `${formatCount(amount)} ${unitName(unit)}`];
  });
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

export function renderUsage({ tokens, microUsd }: Usage): string {
  return `${formatCount(tokens)} tokens, ${formatUsd(microUsd)}`;
}
