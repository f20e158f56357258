/** Verdicts as they are stored: counts are always exact, lists are cut where they would not fit. */
import type { JsonObject } from "../base/json.ts";
import type { TestVerdict } from "./ratchet.ts";

/** Of the canonical text, in UTF-8. */
export const LONGEST_VERDICT = 64 * 1024;
const LIST_BYTES = 8 * 1024;
const LONGEST_TEXT = 300;

const LISTS = ["newFailures", "vanished", "oldFailures", "flaky", "fixed", "added", "problems"] as const;

/** At most `LONGEST_VERDICT`; `leftOut` says how many items of which list are missing. */
export function verdictJson(verdict: TestVerdict): JsonObject {
  const lists: Record<string, readonly string[]> = {};
  const leftOut: Record<string, number> = {};
  const totals: Record<string, number> = {};
  for (const name of LISTS) {
    const kept = fitting(verdict[name]);
    lists[name] = kept;
    totals[name] = verdict[name].length;
    if (kept.length < verdict[name].length) leftOut[name] = verdict[name].length - kept.length;
  }
  const { outcome, by, counts } = verdict;
  return { outcome, by, reason: cut(verdict.reason), counts: { ...counts, ...totals }, ...lists, leftOut };
}

/** The first items that fit. A unit of the JSON text needs at most three bytes. */
function fitting(list: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const item of list) {
    const text = cut(item);
    const json = JSON.stringify(text);
    bytes += 1 + json.length + 2 * (json.match(/[^\x00-\x7f]/g) ?? []).length;
    if (bytes > LIST_BYTES) break;
    kept.push(text);
  }
  return kept;
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
