/** Amounts as people type them. null: it is none. */

const TOKENS = /^(\d{1,9})(?:\.(\d{1,3}))?([km]?)$/i;
const DOLLARS = /^\$?(\d{1,7})(?:\.(\d{1,6}))?$/;

/** `200000`, `200k`, `1.5m`. */
export function readTokens(text: string): number | null {
  const [, whole, part = "", unit = ""] = TOKENS.exec(text) ?? [];
  if (whole === undefined || (unit === "" && part !== "")) return null;
  const scale = { "": 1, k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Math.round(Number(`${whole}.${part}0`) * scale);
}

/** Dollars → micro-dollars: `5`, `$0.50`. */
export function readDollars(text: string): number | null {
  const [, whole, part = ""] = DOLLARS.exec(text) ?? [];
  return whole === undefined ? null : Number(whole) * 1_000_000 + Number(part.padEnd(6, "0"));
}
