/** Numbers of bytes for people. */

const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** Such as `812 B`, `1.5 MiB`, `64 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1).replace(/\.0$/, "")} ${UNITS[unit]}`;
}
