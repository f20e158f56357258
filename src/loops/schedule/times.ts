/**
 * The times of a trigger: of a cadence each follows from the one before, of a cron line each stands for itself. Loops with one
 * trigger share them: what differs between loops comes from their names.
 */
import { readCron } from "../../blueprint/project/cron.ts";
import type { Trigger } from "../../blueprint/project/project-file.ts";
import type { Zone } from "../../limits/quota/zone.ts";
import { lastCronTime, nextCronTime } from "./cron-times.ts";
import { spread } from "./spread.ts";

export interface Times {
  /** Of a loop that was never due. */
  first(loop: string, now: number): number;
  /** The time that follows, however late it is. */
  after(loop: string, time: number): number;
  /** The newest time that has come, of those from `due` on. */
  newest(due: number, now: number): number;
  /** The first time to come once `time` has had its turn. */
  coming(loop: string, time: number, now: number): number;
}

type Every = Extract<Trigger, { kind: "every" }>;
type Cron = Extract<Trigger, { kind: "cron" }>;

/** null: it is not by time that this loop runs. */
export function timesOf(trigger: Trigger | null, zoneOf: (name: string) => Zone | null): Times | null {
  if (trigger?.kind === "every") return everyTimes(trigger);
  return trigger?.kind === "cron" ? cronTimes(trigger, zoneOf) : null;
}

/** Which of the two ends is the smaller does not matter. */
function everyTimes({ minMs, maxMs }: Every): Times {
  const [least, most] = [Math.min(minMs, maxMs), Math.max(minMs, maxMs)];
  const after = (loop: string, time: number): number => time + least + spread(`${loop} ${time}`, most - least + 1);
  return {
    // Soon, and not all loops of a project at once.
    first: (loop, now) => now + spread(loop, least),
    after,
    newest: (due) => due,
    coming(loop, time, now) {
      const next = after(loop, time);
      return next > now ? next : after(loop, now);
    },
  };
}

/** A zone that this machine does not know, and a line that is none, were refused when the file was read. */
function cronTimes({ text, zone: name }: Cron, zoneOf: (name: string) => Zone | null): Times | null {
  const cron = readCron(text);
  const zone = zoneOf(name);
  if (typeof cron === "string" || zone === null) return null;
  // The next time is the same for all that ask before it comes: ten thousand loops that begin together find it once.
  let known = { from: 0, next: 0 };
  const after = (_: string, time: number): number => {
    if (time < known.from || time >= known.next) known = { from: time, next: nextCronTime(cron, zone, time) };
    return known.next;
  };
  return {
    first: after,
    after,
    newest: (due, now) => lastCronTime(cron, zone, due, now) ?? due,
    coming: (loop, _, now) => after(loop, now),
  };
}
