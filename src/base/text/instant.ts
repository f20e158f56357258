/** An instant as people read it. Without a calendar of the system: what is stored must not depend on where it was written. */

const DAY_MS = 86_400_000;
/** Days from 1 March of the year 0 to 1 January 1970. */
const EPOCH_DAYS = 719_468;
const ERA_DAYS = 146_097;

/** `2026-11-16T14:05:09Z`: milliseconds since 1970, to the second below. */
export function formatInstant(at: number): string {
  const days = Math.floor(at / DAY_MS) + EPOCH_DAYS;
  const era = Math.floor(days / ERA_DAYS);
  const day = days - era * ERA_DAYS;
  const year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  // Months are counted from March: the odd day of a leap year is then the last one.
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const isNextYear = month >= 10;
  const seconds = Math.floor((at - Math.floor(at / DAY_MS) * DAY_MS) / 1000);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
  const name = String(year + era * 400 + (isNextYear ? 1 : 0)).padStart(4, "0");
  return `${name}-${two(isNextYear ? month - 9 : month + 3)}-${two(date)}T${time}Z`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
