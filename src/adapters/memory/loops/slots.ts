/** Slots in memory. */
import { type Fired, isAsked, type Slot, type Slots, type Standing } from "../../../ports/loops/slots.ts";

interface MemorySlot {
  readonly at: number;
  state: "fired" | "submitted" | "waiting" | "dropped";
}

export interface MemorySchedule {
  next: number | null;
  armedAt: number;
  trigger: string;
  open: string | null;
  seen: string | null;
  version: number;
  readonly slots: Map<string, MemorySlot>;
}

interface SlotsParts {
  readonly schedules: Map<string, MemorySchedule>;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemorySlots({ schedules, guarded }: SlotsParts): Slots {
  const of = (loop: string): MemorySchedule => {
    const found = schedules.get(loop);
    if (found !== undefined) return found;
    return { next: null, armedAt: 0, trigger: "", open: null, seen: null, version: 0, slots: new Map() };
  };

  function begin(loop: string, slot: string, at: number, state: "fired" | "waiting"): boolean {
    const schedule = of(loop);
    if (schedule.slots.has(slot)) return false;
    schedule.slots.set(slot, { at, state });
    if (state === "fired") schedule.open = slot;
    return true;
  }

  return {
    standing: (loop) =>
      guarded(() => {
        const schedule = schedules.get(loop);
        return schedule === undefined ? null : standingOf(loop, schedule);
      }),
    standings: () => guarded(() => [...schedules].map(([loop, schedule]) => standingOf(loop, schedule))),
    arm: ({ loop, was, next, trigger, at }) =>
      guarded(() => {
        const before = schedules.get(loop);
        const isAsSeen =
          before === undefined ? was === null : before.next === was?.next && before.trigger === was.trigger;
        if (!isAsSeen) return false;
        schedules.set(loop, Object.assign(of(loop), { next, trigger, armedAt: at }));
        return true;
      }),
    fire: ({ loop, slot, time, was, next, at }) =>
      guarded((): Fired => {
        const schedule = of(loop);
        if (schedule.next !== was) return "moved";
        if (schedule.open !== null) return "busy";
        Object.assign(schedule, { next, armedAt: at });
        return begin(loop, slot, time, "fired") ? "fired" : "known";
      }),
    deliver: ({ loop, slot, at }) =>
      guarded(() => {
        const state = of(loop).open === null ? "fired" : "waiting";
        return begin(loop, slot, at, state) ? state : "known";
      }),
    takeWaiting: (loop, which) => guarded(() => takeWaiting(loop, of(loop), which)),
    submitted: (loop, slot) =>
      guarded(() => {
        const found = of(loop).slots.get(slot);
        if (found?.state === "fired") found.state = "submitted";
      }),
    over: (loop, slot) =>
      guarded(() => {
        const schedule = of(loop);
        if (schedule.open === slot) schedule.open = null;
      }),
    observe: (loop, value) =>
      guarded(() => {
        const schedule = of(loop);
        const { seen } = schedule;
        if (seen === value) return "same";
        schedule.seen = value;
        schedule.version += 1;
        return seen === null ? "first" : schedule.version;
      }),
  };
}

function takeWaiting(loop: string, schedule: MemorySchedule, which: "oldest" | "newest"): Slot | null {
  const found = [...schedule.slots].filter(([, { state }]) => state === "waiting");
  const others = found.filter(([slot]) => !isAsked(slot));
  const asked = found.find(([slot]) => isAsked(slot));
  const [name, taken] = asked ?? others.at(which === "oldest" ? 0 : -1) ?? [];
  if (schedule.open !== null || name === undefined || taken === undefined) return null;
  if (asked === undefined && which === "newest") for (const [, slot] of others) slot.state = "dropped";
  taken.state = "fired";
  schedule.open = name;
  return slotOf(loop, name, taken);
}

function slotOf(loop: string, slot: string, { at, state }: MemorySlot): Slot {
  return { loop, slot, at, isSubmitted: state === "submitted" };
}

function standingOf(loop: string, schedule: MemorySchedule): Standing {
  const { next, armedAt, trigger, open, slots } = schedule;
  const slot = open === null ? undefined : slots.get(open);
  return { loop, next, armedAt, trigger, open: open === null || !slot ? null : slotOf(loop, open, slot) };
}
