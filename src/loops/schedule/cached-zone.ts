/** To ask for the offset of a zone costs more than all else that is computed of a time. */
import type { Zone } from "../../limits/quota/zone.ts";

/** Clocks are set at a quarter of an hour. */
const QUARTER_MS = 900_000;
const MOST = 4096;

export function cachedZone(zone: Zone): Zone {
  const known = new Map<number, number>();
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    if (known.size >= MOST) known.clear();
    const offset = zone(quarter * QUARTER_MS);
    known.set(quarter, offset);
    return offset;
  };
}
