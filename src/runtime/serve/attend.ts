/** What is done about one loop when it wakes. What is true of it is read from the store; whoever is late finds that nothing is left to do. */
import { formatInstant } from "../../base/text/instant.ts";
import { type Due, dueOf, wakeOf } from "../../loops/schedule/due.ts";
import type { Slots, Standing } from "../../ports/loops/slots.ts";
import type { Firing } from "./firing.ts";
import type { Tell } from "./news.ts";
import type { ServedLoop } from "./served-loop.ts";

export interface AttendParts {
  readonly slots: Slots;
  readonly firing: Firing;
  readonly now: () => number;
  readonly tell: Tell;
}

export interface Attended {
  /** When it is to be looked at again; null: when something happens. */
  readonly wake: number | null;
  readonly fired: boolean;
}

/** A run of the loop is open, maybe in another process: nobody tells us of its end. */
const BUSY_MS = 2000;
const PUT_BACK_MS = 1000;

export async function attend(parts: AttendParts, served: ServedLoop): Promise<Attended> {
  const { slots, firing, now } = parts;
  const { loop, times } = served;
  const standing = (await slots.standing(loop.name)) ?? (await armed(parts, served, null));
  if (standing === null || !(await firing.isFree(served, standing))) return { wake: now() + BUSY_MS, fired: false };
  const { next } = standing;
  if (times === null || next === null) return { wake: null, fired: false };
  const due = dueOf(loop, times, { next, armedAt: standing.armedAt }, now());
  if (due.kind === "wait") return { wake: due.until, fired: false };
  return due.kind === "fire" ? fire(parts, served, due, next) : move(parts, served, due, standing);
}

async function fire(
  { slots, firing, now, tell }: AttendParts,
  served: ServedLoop,
  due: Extract<Due, { kind: "fire" }>,
  was: number,
): Promise<Attended> {
  const { loop } = served;
  const slot = formatInstant(due.time);
  const fired = await slots.fire({ loop: loop.name, slot, time: due.time, was, next: due.next, at: now() });
  if (fired === "moved" || fired === "busy") return { wake: now(), fired: false };
  if (fired === "known") return { wake: wakeOf(loop, due.next), fired: false };
  if (due.missed !== null) tell({ type: "slot.missed", loop: loop.name, becomes: "one run", ...due.missed });
  await firing.submit(served, slot);
  return { wake: wakeOf(loop, due.next), fired: true };
}

async function move(
  { slots, now, tell }: AttendParts,
  { loop, trigger }: ServedLoop,
  due: Extract<Due, { kind: "skip" | "rearm" }>,
  was: Standing,
): Promise<Attended> {
  const { name } = loop;
  if (!(await slots.arm({ loop: name, was, next: due.next, trigger, at: now() }))) return { wake: now(), fired: false };
  if (due.kind === "skip") tell({ type: "slot.missed", loop: name, becomes: "nothing", ...due.missed });
  else tell({ type: "loop.rearmed", loop: name, next: due.next });
  return { wake: wakeOf(loop, due.next), fired: false };
}

/** Stores when a loop is due that is new, or whose trigger is. */
async function armed(
  { slots, now }: AttendParts,
  { loop, times, trigger }: ServedLoop,
  was: Standing | null,
): Promise<Standing | null> {
  const at = now();
  const next = times === null ? null : times.first(loop.name, at);
  const { name } = loop;
  if (await slots.arm({ loop: name, was, next, trigger, at }))
    return { loop: name, next, armedAt: at, trigger, open: was?.open ?? null };
  return slots.standing(name);
}

/** When a loop wakes first: what is open, or was armed by a clock that was ahead, is looked at now. */
export async function enter(parts: AttendParts, served: ServedLoop, known: Standing | null): Promise<number> {
  const now = parts.now();
  const standing = known?.trigger === served.trigger ? known : await armed(parts, served, known);
  if (standing === null || standing.open !== null || standing.next === null) return now;
  return standing.armedAt > now + PUT_BACK_MS ? now : wakeOf(served.loop, standing.next);
}
