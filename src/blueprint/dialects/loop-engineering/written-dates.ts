/** Dates and times as they stand in pages: `2026-08-13`, `2026-06-09 18:30 UTC`, `2026-09-15T08:00:39Z`. Without a zone: UTC. */
import { epochOf, isCivil } from "../../../limits/quota/civil.ts";

const WRITTEN =
  /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?(?![\d-])/g;

/** Milliseconds since 1970, in the order of the text. What is no date is left out. */
export function datesIn(text: string): readonly number[] {
  return [...text.matchAll(WRITTEN)].flatMap(([, year, month, day, hour, minute, second, zone = "Z"]) => {
    const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0));
    const civil = { year: y, month: m, day: d, hour: h, minute: min, second: s } as Parameters<typeof epochOf>[0];
    return isCivil(civil) ? [epochOf(civil) - offsetMs(zone)] : [];
  });
}

/** When a whole text is one date. */
export function dateOf(text: string): number | null {
  const [first] = [...text.matchAll(WRITTEN)];
  return first?.[0] === text ? (datesIn(text)[0] ?? null) : null;
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
