/** The scheduler: sleeps until the next time of any loop, and attends to what has woken, one after the other. */
import { createWakes, type Wakes } from "../../loops/schedule/wakes.ts";
import type { Clock } from "../../ports/clock.ts";
import { type AttendParts, attend, enter } from "./attend.ts";
import type { Duty } from "./duties/duty.ts";
import type { Next } from "./news.ts";
import { problemOf } from "./problem.ts";
import type { ServedLoop } from "./served-loop.ts";

export interface SchedulerParts extends AttendParts {
  readonly clock: Clock;
  /** By name. */
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
}

export interface Scheduler extends Duty {
  /** Something has changed for this loop: it is looked at now. */
  poke(loop: string): void;
  /** The loops were read anew. */
  reload(): Promise<void>;
  next(): Next | null;
}

/** A clock may be set, and a machine may sleep: nobody sleeps longer than this without a look at the clock. */
const LONGEST_SLEEP_MS = 30_000;
/** A loop that went wrong is tried again then. */
const TROUBLE_MS = 60_000;
const PUT_BACK_MS = 1000;
/** So many are armed in one commit. */
const BATCH = 500;

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { clock, loops, now } = parts;
  const wakes = createWakes();
  let cancel: (() => void) | null = null;
  let working: Promise<boolean> | null = null;
  let stopped = false;
  let lastNow = now();

  function sleep(): void {
    cancel?.();
    cancel = null;
    const first = wakes.first();
    if (stopped || first === null) return;
    const ms = Math.max(0, Math.min(first.at - now(), LONGEST_SLEEP_MS));
    cancel = clock.after(ms, () => void work());
  }

  /** One look at a time; resolves to whether anything has fired. */
  function work(): Promise<boolean> {
    working ??= attendAll().finally(() => {
      working = null;
      sleep();
    });
    return working;
  }

  async function attendAll(): Promise<boolean> {
    const time = now();
    // Who was armed by a clock that was ahead would sleep for as long as that was.
    if (time < lastNow - PUT_BACK_MS) for (const name of loops().keys()) wakes.set(name, time);
    lastNow = time;
    let any = false;
    for (let first = wakes.first(); first !== null && first.at <= now() && !stopped; first = wakes.first()) {
      const { name } = first;
      const { wake, fired } = await attendSafely(parts, loops().get(name));
      if (wake === null) wakes.delete(name);
      else wakes.set(name, wake);
      any ||= fired;
    }
    return any;
  }

  async function reload(): Promise<void> {
    const known = new Map((await parts.slots.standings()).map((standing) => [standing.loop, standing]));
    const all = [...loops().values()];
    for (let from = 0; from < all.length; from += BATCH) {
      const some = all.slice(from, from + BATCH);
      const at = await Promise.all(some.map((served) => enter(parts, served, known.get(served.loop.name) ?? null)));
      for (const [index, { loop }] of some.entries()) wakes.set(loop.name, at[index] ?? now());
    }
    if (working === null) sleep();
  }

  return {
    name: "scheduler",
    start: reload,
    once: work,
    async stop() {
      stopped = true;
      cancel?.();
      await working;
    },
    poke(loop) {
      if (stopped || !loops().has(loop)) return;
      wakes.set(loop, now());
      if (working === null) sleep();
    },
    reload,
    next: () => nextOf(wakes),
  };
}

function nextOf(wakes: Wakes): Next | null {
  const first = wakes.first();
  return first === null ? null : { loop: first.name, at: first.at };
}

/** One bad loop never stalls the others. */
async function attendSafely(
  parts: SchedulerParts,
  served: ServedLoop | undefined,
): Promise<{ readonly wake: number | null; readonly fired: boolean }> {
  if (served === undefined) return { wake: null, fired: false };
  try {
    return await attend(parts, served);
  } catch (error) {
    parts.tell({ type: "loop.failed", loop: served.loop.name, ...problemOf(error) });
    return { wake: parts.now() + TROUBLE_MS, fired: false };
  }
}
