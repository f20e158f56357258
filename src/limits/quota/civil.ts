/** Civil dates: years, months and days as people count them, without a clock. Gregorian, also before it was invented. */

export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export const DAY_MS = 86_400_000;
const DAYS_IN_ERA = 146_097;
/** From 0000-03-01 to 1970-01-01. */
const TO_1970 = 719_468;

/** Milliseconds since 1970 of this wall time, read as UTC. */
export function epochOf({ year, month, day, hour, minute, second }: Civil): number {
  return dayNumber(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The wall time of an instant, in UTC. */
export function civilOf(at: number): Civil {
  const days = Math.floor(at / DAY_MS);
  const seconds = Math.floor((at - days * DAY_MS) / 1000);
  return {
    ...dateOf(days),
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
  };
}

/** `2026-08-14T00:00:00Z` */
export function isoOf(at: number): string {
  const { year, month, day, hour, minute, second } = civilOf(at);
  const [mm, dd, h, m, s] = [month, day, hour, minute, second].map((part) => String(part).padStart(2, "0"));
  return `${String(year).padStart(4, "0")}-${mm}-${dd}T${h}:${m}:${s}Z`;
}

/** Whether there is such a date and time. */
export function isCivil(civil: Civil): boolean {
  const { month, day, hour, minute, second } = civil;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false;
  const back = civilOf(epochOf(civil));
  return back.month === month && back.day === day;
}

/** The same wall time so many days later. */
export function plusDays(civil: Civil, days: number): Civil {
  return civilOf(epochOf(civil) + days * DAY_MS);
}

/** Days since 1970. The year begins in March, so that a leap day is its last. */
function dayNumber(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * DAYS_IN_ERA + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - TO_1970;
}

function dateOf(days: number): Pick<Civil, "year" | "month" | "day"> {
  const from = days + TO_1970;
  const era = Math.floor(from / DAYS_IN_ERA);
  const ofEra = from - era * DAYS_IN_ERA;
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leaps) / 365);
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * ofYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: ofYear - Math.floor((153 * shifted + 2) / 5) + 1 };
}
