/**
 * Slots: when each loop is due, and what has become of it, for every process of a project. A slot is one occasion to run a loop,
 * named by its time or by what happened (a delivery, a change); it fires at most once, whoever asks. Of a loop one slot is open at
 * a time: there is no second run beside the first.
 *
 *   fire, deliver ──▶ fired ── submitted ──▶ submitted      open until `over`
 *   deliver, while another is open ──▶ waiting ── takeWaiting ──▶ fired, or dropped for a newer one
 */

/** Begins the name of a slot that a person asked for. */
const ASKED = "asked:";

export function askedSlot(name: string): string {
  return `${ASKED}${name}`;
}

/** What a person asked for is never given up for something newer, and its name is new whatever the clock says. */
export function isAsked(slot: string): boolean {
  return slot.startsWith(ASKED);
}

/** How a loop stands. */
export interface Standing {
  readonly loop: string;
  /** The time it is due next; null: it has none of its own. */
  readonly next: number | null;
  /** When that was stored, on the clock. */
  readonly armedAt: number;
  /** Digest of what makes it due: another one is armed anew. */
  readonly trigger: string;
  /** The slot whose run is not over. */
  readonly open: Slot | null;
}

export interface Slot {
  readonly loop: string;
  readonly slot: string;
  /** The time it stands for, or when it was delivered. */
  readonly at: number;
  /** A job was submitted for it; if not, whoever fired it may be gone. */
  readonly isSubmitted: boolean;
}

export interface Arming {
  readonly loop: string;
  /** Stored before, as it was seen; null: nothing was. */
  readonly was: Pick<Standing, "next" | "trigger"> | null;
  readonly next: number | null;
  readonly trigger: string;
  readonly at: number;
}

export interface Firing {
  readonly loop: string;
  readonly slot: string;
  /** The time that it stands for. */
  readonly time: number;
  /** The next time of the loop, as it was seen. */
  readonly was: number;
  /** The one after; stored in the same step, before anything runs. */
  readonly next: number;
  readonly at: number;
}

/**
 * `fired`: it is open now, and this caller submits it. `known`: it fired before; the next time is stored all the same. `busy`: another
 * is open. `moved`: the next time is another meanwhile. After the last two nothing has changed.
 */
export type Fired = "fired" | "known" | "busy" | "moved";

export interface Delivery {
  readonly loop: string;
  readonly slot: string;
  readonly at: number;
}

export interface Slots {
  standing(loop: string): Promise<Standing | null>;
  /** Of every loop that was ever armed. */
  standings(): Promise<readonly Standing[]>;
  /** Stores when a loop is due next. false: it stands otherwise than `was`; nothing has changed. */
  arm(arming: Arming): Promise<boolean>;
  fire(firing: Firing): Promise<Fired>;
  /** For what happens at no time of the schedule. `waiting`: another is open; it is kept. The loop must have been armed. */
  deliver(delivery: Delivery): Promise<"fired" | "known" | "waiting">;
  /** Fires one that waits, if none is open: what was asked for first, else the oldest or the newest, which drops the others. */
  takeWaiting(loop: string, which: "oldest" | "newest"): Promise<Slot | null>;
  /** A job was submitted for it. */
  submitted(loop: string, slot: string): Promise<void>;
  /** Its run is over, or rests: the loop is free. Of another slot than the open one nothing is changed. */
  over(loop: string, slot: string): Promise<void>;
  /**
   * Compares what a loop watches with what was stored of it, and stores the new value. `first`: nothing was stored. A number: it has
   * changed, so many times by now; of all processes that see the same change, one is told.
   */
  observe(loop: string, value: string): Promise<"first" | "same" | number>;
}
