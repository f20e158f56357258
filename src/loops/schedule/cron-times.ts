/**
 * When a cron line fires. A wall time stands for the first instant at which clocks of the zone show it or a later one. So a time
 * that does not exist, because clocks are put forward, fires at the first instant after the gap; one that exists twice, because
 * they are put back, fires once, the first time; and two times that fall into one gap are one.
 */
import type { CronFields } from "../../blueprint/project/cron.ts";
import { civilOf, DAY_MS } from "../../limits/quota/civil.ts";
import type { Zone } from "../../limits/quota/zone.ts";

const MINUTE_MS = 60_000;
/** Clocks were never set by more: Samoa left out a day. */
const FARTHEST_MS = 26 * 3_600_000;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** The first time after this instant. A wall time is a number here: what epochs would be if the zone were UTC. */
export function nextCronTime(cron: CronFields, zone: Zone, after: number): number {
  return instantFor(zone, nextWall(cron, latestWall(zone, after)));
}

/** The newest time in (after, until]; null: there is none. */
export function lastCronTime(cron: CronFields, zone: Zone, after: number, until: number): number | null {
  for (const reachMs of [MINUTE_MS * 60, DAY_MS, DAY_MS * 31, until - after]) {
    let found: number | null = null;
    let next = nextCronTime(cron, zone, Math.max(after, until - reachMs));
    for (; next <= until; next = nextCronTime(cron, zone, next)) found = next;
    if (found !== null) return found;
  }
  return null;
}

/** The latest that clocks have shown up to this instant: after they were put back, they show less for a while. */
function latestWall(zone: Zone, at: number): number {
  const before = zone(at - FARTHEST_MS);
  const wall = at + zone(at);
  return before <= zone(at) ? wall : Math.max(wall, changeAfter(zone, at - FARTHEST_MS, at) + before - 1);
}

function instantFor(zone: Zone, wall: number): number {
  const offsets = [zone(wall - FARTHEST_MS), zone(wall + FARTHEST_MS)];
  const [early, late] = [wall - Math.max(...offsets), wall - Math.min(...offsets)];
  if (early + zone(early) === wall) return early;
  if (late + zone(late) === wall) return late;
  return changeAfter(zone, early, late);
}

/** The first instant with another offset than `from` has; there is one up to `to`. */
function changeAfter(zone: Zone, from: number, to: number): number {
  const before = zone(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** The first wall time of the line after this one. There is one: a line that fits no day was refused when it was read. */
function nextWall(cron: CronFields, after: number): number {
  const from = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  for (let day = Math.floor(from / DAY_MS); ; day += 1) {
    if (!fitsDay(cron, day)) continue;
    const minute = firstMinute(cron, (from - day * DAY_MS) / MINUTE_MS);
    if (minute !== null) return day * DAY_MS + minute * MINUTE_MS;
  }
}

function fitsDay({ days, months, weekdays, anyDay, anyWeekday }: CronFields, number: number): boolean {
  const { month, day } = civilOf(number * DAY_MS);
  if (!months.includes(month)) return false;
  const isDay = days.includes(day);
  const isWeekday = weekdays.includes((((number + FIRST_WEEKDAY) % 7) + 7) % 7);
  return anyDay || anyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

/** The first minute of a day, not before `from`. */
function firstMinute({ hours, minutes }: CronFields, from: number): number | null {
  for (const hour of hours) {
    if (hour * 60 + 59 < from) continue;
    const minute = minutes.find((each) => hour * 60 + each >= from);
    if (minute !== undefined) return hour * 60 + minute;
  }
  return null;
}
