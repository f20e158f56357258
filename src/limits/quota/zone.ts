/**
 * Time zones: wall time ↔ instant. Where a wall time exists twice, or not at all, because clocks are set, the later instant is
 * taken: who waits too long is late, who waits too short is refused again.
 */
import { type Civil, civilOf, DAY_MS, epochOf } from "./civil.ts";

/** Milliseconds east of UTC at an instant. */
export type Zone = (at: number) => number;

const FIXED = /^(?:UTC|GMT|Z)?(?:([+-])(\d{1,2})(?::?(\d{2}))?)?$/i;
const FIELDS = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

/** Zones by name, no more than there are. To make one takes 32 KB beside the heap, and a file may name one a thousand times. */
const NAMED = new Map<string, Zone>();

/** An IANA name, `UTC`, `GMT-3`, `+05:30`. null: there is no such zone. */
export function zoneOf(name: string): Zone | null {
  const fixed = FIXED.exec(name);
  if (fixed === null || name === "") return namedZone(name);
  const [, sign, hours = "0", minutes = "0"] = fixed;
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return () => offset;
}

function namedZone(timeZone: string): Zone | null {
  // However it is spelled, it is one zone.
  const key = timeZone.toLowerCase();
  const known = NAMED.get(key);
  if (known !== undefined) return known;
  const zone = readZone(timeZone);
  if (zone !== null) NAMED.set(key, zone);
  return zone;
}

function readZone(timeZone: string): Zone | null {
  try {
    const format = new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone });
    return (at) => {
      const second = Math.floor(at / 1000) * 1000;
      const parts = format.formatToParts(second).map(({ type, value }) => [type, Number(value)]);
      return epochOf(Object.fromEntries(parts) as Civil) - second;
    };
  } catch {
    // Which names there are depends on the machine; one that it does not know is no zone.
    return null;
  }
}

/** What clocks in the zone show. */
export function wallAt(zone: Zone, at: number): Civil {
  return civilOf(at + zone(at));
}

/** When clocks in the zone show this. */
export function instantOf(zone: Zone, wall: Civil): number {
  const utc = epochOf(wall);
  const both = [utc - zone(utc - DAY_MS), utc - zone(utc + DAY_MS)];
  const real = both.filter((at) => zone(at) === utc - at);
  return Math.max(...(real.length === 0 ? both : real));
}
