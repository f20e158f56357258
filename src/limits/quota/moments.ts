/** Points in time as vendors write them: `3pm (America/Santiago)`, `Jul 27 at 4:30am`, ISO and HTTP dates, seconds since 1970. */
import { type Civil, civilOf, isCivil, plusDays } from "./civil.ts";
import { instantOf, wallAt, type Zone, zoneOf } from "./zone.ts";

export interface Here {
  readonly at: number;
  /** Name of the zone of the host: it counts where a text names none. */
  readonly zone: string;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?(Z|UTC|[+-]\d{2}:?\d{2})(?![\w:]))?/i;
const DATE = new RegExp(`^(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?,?(?: at)? `, "i");
const TIME = /^(\d{1,2})(?::(\d{2}))?(?: ?([ap])\.?m\b)?/i;
const ZONE = /^ ?(?:\(([\w/+-]{1,40})\)|((?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?)\b)/;
const HTTP = new RegExp(`^[a-z]{3}, (\\d{2}) (${MONTH}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2}) GMT$`, "i");
/** Beyond it a count is of milliseconds, below it of seconds. */
const MOST_SECONDS = 100_000_000_000;
/** No count since 1970 that matters is as small. */
const LEAST_SECONDS = 1_000_000_000;

/** The instant that the text begins with; null: it begins with none, or with one that does not exist. */
export function readMoment(text: string, here: Here): number | null {
  return readIso(text, here.zone) ?? readWall(text, here);
}

/** `2026-08-14T00:00:00Z`; without a zone, in the given one. */
export function readIso(text: string, host: string): number | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  return instantIn(found[7] ?? host, { year, month, day, hour, minute, second });
}

type Six = [number, number, number, number, number, number];

/** `Wed, 21 Oct 2026 07:28:00 GMT` */
export function readHttpDate(text: string): number | null {
  const found = HTTP.exec(text);
  if (found === null) return null;
  const [day, , year, hour, minute, second] = found.slice(1).map(Number) as Six;
  return instantIn("UTC", { year, month: monthOf(found[2] as string), day, hour, minute, second });
}

/** Seconds or milliseconds since 1970; null: too few to be either. */
export function readEpoch(count: number): number | null {
  if (!(count >= LEAST_SECONDS)) return null;
  return Math.ceil(count > MOST_SECONDS ? count : count * 1000);
}

/** Of a day and a time that exist, in a zone that exists. */
function instantIn(name: string, wall: Civil): number | null {
  const zone = zoneOf(name);
  return zone === null || !isCivil(wall) ? null : instantOf(zone, wall);
}

function readWall(text: string, { at, zone: host }: Here): number | null {
  const date = DATE.exec(text);
  const clock = readClock(date === null ? text : text.slice(date[0].length));
  if (clock === null) return null;
  const [, inBrackets, bare] = ZONE.exec(clock.rest) ?? [];
  const zone = zoneOf(inBrackets ?? bare ?? host);
  if (zone === null) return null;
  const now = { ...wallAt(zone, at), hour: clock.hour, minute: clock.minute, second: 0 };
  if (date === null) return nextOf(zone, at, now);
  const [, name, day, year] = date;
  const said = { ...now, month: monthOf(name as string), day: Number(day) };
  if (year !== undefined) return existing(zone, { ...said, year: Number(year) });
  const thisYear = existing(zone, said);
  return thisYear !== null && thisYear > at ? thisYear : existing(zone, { ...said, year: said.year + 1 });
}

function existing(zone: Zone, wall: Civil): number | null {
  return isCivil(wall) ? instantOf(zone, wall) : null;
}

/** The next time that clocks show it: today, or tomorrow when that is over. */
function nextOf(zone: Zone, at: number, wall: Civil): number {
  const today = instantOf(zone, wall);
  return today > at ? today : instantOf(zone, plusDays(wall, 1));
}

interface Clock {
  readonly hour: number;
  readonly minute: number;
  readonly rest: string;
}

/** `3pm`, `10:57 PM`, `15:45`; a number alone is no time. */
function readClock(text: string): Clock | null {
  const [whole, hours, minutes, half] = TIME.exec(text) ?? [];
  if (whole === undefined || (minutes === undefined && half === undefined)) return null;
  const given = Number(hours);
  if (half !== undefined && (given < 1 || given > 12)) return null;
  const hour = half === undefined ? given : (given % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const minute = Number(minutes ?? 0);
  return isCivil({ ...civilOf(0), hour, minute }) ? { hour, minute, rest: text.slice(whole.length) } : null;
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** The next midnight in a zone: when a day's allowance begins anew. */
export function nextMidnight(at: number, name: string): number | null {
  const zone = zoneOf(name);
  return zone === null ? null : nextOf(zone, at, { ...wallAt(zone, at), hour: 0, minute: 0, second: 0 });
}
