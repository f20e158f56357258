/** One cell of `loop-budget.md`: `3`, `100k`, `2M`, `100,000`, `96 (every 15m)`, `0 (L1) / 2 (L2)`. */
import type { Unit } from "../../limits/ledger/cap.ts";
import type { Level } from "../blueprint.ts";

export interface LevelAmount {
  /** The lowest level that it counts for. */
  readonly from: Level;
  readonly amount: number;
}

const NO_LIMIT = /^(?:[-–—]|unlimited|no limit)$/i;
const PART = /^([^()]+?)\s*(?:\(([^()]*)\))?$/;
const LEVEL = /^(L[1-3])\b/;
const PLAIN = /^\d{1,15}$/;
const GROUPED = /^\d{1,3}([,_' ])\d{3}(?:\1\d{3}){0,3}$/;
const LONGEST = 200;
/** Of an amount that names no level. */
const ANY: Level = "L0";
const SCALED = /^(\d{1,9}(?:\.\d{1,6})?) ?([km])$/i;

/** Empty: no limit. Undefined: it cannot be read. */
export function parseAmounts(text: string, unit: Unit): readonly LevelAmount[] | undefined {
  if (text.length > LONGEST) return undefined;
  if (NO_LIMIT.test(text)) return [];
  const parts = splitOutside(text).map((part) => parsePart(part, unit));
  const amounts = parts.filter((part) => part !== undefined);
  const levels = new Set(amounts.map(({ from }) => from));
  // Of several amounts each must say what it is for, and no two the same.
  const isClear = parts.length === 1 || (levels.size === parts.length && !levels.has(ANY));
  if (amounts.length < parts.length || !isClear) return undefined;
  return amounts.sort((a, b) => (a.from < b.from ? -1 : 1));
}

function parsePart(part: string, unit: Unit): LevelAmount | undefined {
  const [, written = "", note = ""] = PART.exec(part) ?? [];
  const amount = parseAmount(written, unit);
  return amount === undefined ? undefined : { from: (LEVEL.exec(note)?.[1] as Level | undefined) ?? ANY, amount };
}

/** Parts between slashes; one within parentheses parts nothing. */
function splitOutside(text: string): readonly string[] {
  return text.split(/\/(?![^(]*\))/).map((part) => part.trim());
}

function parseAmount(written: string, unit: Unit): number | undefined {
  const digits = unit === "tokens" ? written.replace(/ tokens$/i, "") : written;
  if (PLAIN.test(digits)) return Number(digits);
  if (GROUPED.test(digits)) return Number(digits.replace(/\D/g, ""));
  const [, count, scale] = SCALED.exec(digits) ?? [];
  if (count === undefined || scale === undefined || unit !== "tokens") return undefined;
  const amount = Number((Number(count) * (scale.toLowerCase() === "k" ? 1e3 : 1e6)).toFixed(6));
  return Number.isInteger(amount) ? amount : undefined;
}
