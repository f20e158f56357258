/** Lengths of time as vendors write them: `5 days 22 hours 11 minutes`, `4h28m20s`, `1.574s`, `644ms`, `51 hours`. */

const UNITS: readonly (readonly [string, number])[] = [
  ["ms|milliseconds?", 1],
  ["s|secs?|seconds?", 1000],
  ["m|mins?|minutes?", 60_000],
  ["h|hrs?|hours?", 3_600_000],
  ["d|days?", 86_400_000],
  ["w|weeks?", 604_800_000],
];

const PART = `(\\d{1,12}(?:\\.\\d{1,12})?) ?(?:${UNITS.map(([names]) => `(${names})`).join("|")})(?![a-z])`;
const FIRST = new RegExp(`^${PART}`, "i");
const FURTHER = new RegExp(`^(?:,? and |,? )?${PART}`, "i");

/** The length that the text begins with, in whole milliseconds, rounded up; null: it begins with none. */
export function readSpan(text: string): number | null {
  let found = FIRST.exec(text);
  if (found === null) return null;
  let sum = 0;
  for (let rest = text; found !== null; found = FURTHER.exec(rest)) {
    sum += msOf(found);
    rest = rest.slice(found[0].length);
  }
  // Fractions of seconds in nine digits must not end a whole millisecond later for the rounding of a sum.
  return Math.ceil(Number(sum.toFixed(3)));
}

function msOf([, count, ...units]: RegExpExecArray): number {
  const at = units.findIndex((unit) => unit !== undefined);
  return Number(count) * (UNITS[at] as readonly [string, number])[1];
}
