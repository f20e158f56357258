/** Durations as people write them: `90s`, `1h30m`, `500ms`, `2d`. A number without a unit is not a duration. */

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

const WRITTEN = /^(?:(\d{1,9})d)? ?(?:(\d{1,9})h)? ?(?:(\d{1,9})m(?!s))? ?(?:(\d{1,9})s)? ?(?:(\d{1,9})ms)?$/;

/** Milliseconds, or undefined when the text is not a duration. Units stand from large to small, each at most once. */
export function parseDuration(text: string): number | undefined {
  const match = text === "" || text !== text.trim() ? null : WRITTEN.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  UNITS.forEach(([, size], index) => {
    ms += Number(match[index + 1] ?? 0) * size;
  });
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The exact duration in short text, `1h 30m`; `parseDuration` reads it back. Takes whole milliseconds from 0 on. */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}
