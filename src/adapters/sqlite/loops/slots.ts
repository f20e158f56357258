/** Slots on SQLite: each question and what is stored because of its answer are one transaction. */
import {
  type Arming,
  type Delivery,
  type Fired,
  type Firing,
  isAsked,
  type Slot,
  type Slots,
  type Standing,
} from "../../../ports/loops/slots.ts";
import type { Database } from "../driver.ts";
import type { LoopParts } from "./loop-parts.ts";

interface StandingRow {
  readonly loop: string;
  readonly next: number | null;
  readonly armed_at: number;
  readonly trigger: string;
  readonly open: string | null;
  readonly at: number | null;
  readonly state: string | null;
}

interface SlotRow {
  readonly loop: string;
  readonly slot: string;
  readonly at: number;
  readonly state: string;
}

/** Of each loop so many are remembered one by one; what is older than all of them has fired, or never will. */
const KEPT = 1000;
/** Looking for what is too old costs more than it frees, if it is done each time. */
const SWEEP_EVERY = 64;

const STANDING_SQL = `SELECT schedules.loop, next, armed_at, trigger, open, slots.at, slots.state
  FROM schedules LEFT JOIN slots ON slots.loop = schedules.loop AND slots.slot = schedules.open`;

const MARK_SQL = "UPDATE slots SET state = ?3 WHERE loop = ?1 AND slot = ?2";
const OPEN_SQL = "UPDATE schedules SET open = ?2 WHERE loop = ?1";

export function createSqliteSlots({ db, commits, guarded }: LoopParts): Slots {
  const one = db.prepare<StandingRow>(`${STANDING_SQL} WHERE schedules.loop = ?1`);
  const every = db.prepare<StandingRow>(STANDING_SQL);
  const select = db.prepare<SlotRow>("SELECT loop, slot, at, state FROM slots WHERE loop = ?1 AND slot = ?2");
  const mark = db.prepare(MARK_SQL);
  const setOpen = db.prepare(OPEN_SQL);
  const setNext = db.prepare("UPDATE schedules SET next = ?2, armed_at = ?3 WHERE loop = ?1");
  const close = db.prepare("UPDATE schedules SET open = NULL WHERE loop = ?1 AND open = ?2");
  const upsert = db.prepare(
    `INSERT INTO schedules(loop, next, armed_at, trigger, floor, version) VALUES(?1, ?2, ?3, ?4, 0, 0)
     ON CONFLICT(loop) DO UPDATE SET next = ?2, armed_at = ?3, trigger = ?4`,
  );
  const rows = createSlotRows(db);
  const observe = createObserver(db);
  const takeWaiting = createTaker(db);

  function arm({ loop, was, next, trigger, at }: Arming): boolean {
    const row = one.get(loop);
    const isAsSeen = row === undefined ? was === null : row.next === was?.next && row.trigger === was.trigger;
    if (isAsSeen) upsert.run(loop, next, at, trigger);
    return isAsSeen;
  }

  function fire({ loop, slot, time, was, next, at }: Firing): Fired {
    const row = one.get(loop);
    if (row?.next !== was) return "moved";
    if (row.open !== null) return "busy";
    setNext.run(loop, next, at);
    if (!rows.insert(loop, slot, time, "fired")) return "known";
    setOpen.run(loop, slot);
    return "fired";
  }

  function deliver({ loop, slot, at }: Delivery): "fired" | "known" | "waiting" {
    const state = one.get(loop)?.open === null ? "fired" : "waiting";
    if (!rows.insert(loop, slot, at, state)) return "known";
    if (state === "fired") setOpen.run(loop, slot);
    return state;
  }

  return {
    standing: (loop) =>
      guarded(() => {
        const row = one.get(loop);
        return row === undefined ? null : standingOf(row);
      }),
    standings: () => guarded(() => every.all().map(standingOf)),
    arm: (arming) => commits.run(() => () => arm(arming)),
    fire: (firing) => commits.run(() => () => fire(firing)),
    deliver: (delivery) => commits.run(() => () => deliver(delivery)),
    async takeWaiting(loop, which) {
      // Nearly always nothing waits: that is seen without a transaction. What comes while nothing is open does not wait.
      if (!(await guarded(() => takeWaiting.finds(loop)))) return null;
      return commits.run(() => () => (one.get(loop)?.open === null ? takeWaiting.take(loop, which) : null));
    },
    submitted: (loop, slot) =>
      commits.run(() => () => {
        if (select.get(loop, slot)?.state === "fired") mark.run(loop, slot, "submitted");
      }),
    over: (loop, slot) => commits.run(() => () => void close.run(loop, slot)),
    observe: (loop, value) => commits.run(() => () => observe(loop, value)),
  };
}

/** Takes one that waits, of a loop that is free. */
function createTaker(db: Database) {
  const waiting = db.prepare<SlotRow>(
    "SELECT loop, slot, at, state FROM slots WHERE loop = ?1 AND state = 'waiting' ORDER BY id",
  );
  const mark = db.prepare(MARK_SQL);
  const setOpen = db.prepare(OPEN_SQL);
  const take = (loop: string, which: "oldest" | "newest"): Slot | null => {
    const found = waiting.all(loop);
    const others = found.filter(({ slot }) => !isAsked(slot));
    const asked = found.find(({ slot }) => isAsked(slot));
    const taken = asked ?? others.at(which === "oldest" ? 0 : -1);
    if (taken === undefined) return null;
    if (asked === undefined && which === "newest") for (const { slot } of others) mark.run(loop, slot, "dropped");
    mark.run(loop, taken.slot, "fired");
    setOpen.run(loop, taken.slot);
    return { loop, slot: taken.slot, at: taken.at, isSubmitted: false };
  };
  return { take, finds: (loop: string): boolean => waiting.get(loop) !== undefined };
}

/** The names that have fired. What is swept raises the floor: below it nothing is new. */
function createSlotRows(db: Database) {
  const floorOf = db.prepare<{ floor: number }>("SELECT floor FROM schedules WHERE loop = ?1");
  const insert = db.prepare<{ id: number }>(
    "INSERT INTO slots(loop, slot, at, state) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(loop, slot) DO NOTHING RETURNING id",
  );
  const oldest = db.prepare<{ id: number; at: number }>(
    "SELECT id, at FROM slots WHERE loop = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2",
  );
  const highest = db.prepare<{ at: number | null }>("SELECT max(at) AS at FROM slots WHERE loop = ?1 AND id <= ?2");
  const raise = db.prepare("UPDATE schedules SET floor = max(floor, ?2) WHERE loop = ?1");
  const sweep = db.prepare("DELETE FROM slots WHERE loop = ?1 AND id <= ?2 AND state IN ('submitted', 'dropped')");

  return {
    insert(loop: string, slot: string, at: number, state: string): boolean {
      if (!isAsked(slot) && at <= (floorOf.get(loop)?.floor ?? 0)) return false;
      const id = insert.get(loop, slot, at, state)?.id;
      if (id === undefined) return false;
      const last = id % SWEEP_EVERY === 0 ? oldest.get(loop, KEPT) : undefined;
      if (last !== undefined) {
        raise.run(loop, highest.get(loop, last.id)?.at ?? 0);
        sweep.run(loop, last.id);
      }
      return true;
    },
  };
}

function createObserver(db: Database): (loop: string, value: string) => "first" | "same" | number {
  const select = db.prepare<{ seen: string | null; version: number }>(
    "SELECT seen, version FROM schedules WHERE loop = ?1",
  );
  const store = db.prepare("UPDATE schedules SET seen = ?2, version = ?3 WHERE loop = ?1");
  return (loop, value) => {
    const { seen, version } = select.get(loop) ?? { seen: null, version: 0 };
    if (seen === value) return "same";
    store.run(loop, value, version + 1);
    return seen === null ? "first" : version + 1;
  };
}

function standingOf({ loop, next, armed_at: armedAt, trigger, open, at, state }: StandingRow): Standing {
  const slot = open === null || at === null ? null : { loop, slot: open, at, isSubmitted: state === "submitted" };
  return { loop, next, armedAt, trigger, open: slot };
}
