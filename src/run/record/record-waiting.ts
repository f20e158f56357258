/** Keeps what runs wait for as their events are stored. A run that waits for a child run hears when that one can go on or has ended. */
import type { RunEvent } from "../events.ts";
import { foldWaiting, NOT_WAITING, ready, type Waiting } from "./waiting.ts";

export interface PlacedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

export interface WaitingRow {
  readonly waiting: Waiting;
  /** The run that started it; null: no other run did. */
  readonly parent: string | null;
  readonly isOver: boolean;
}

/** Where a store keeps them. Everything here happens in the transaction that stores the events. */
export interface WaitingRows {
  /** undefined: there is no such run. Its status is already that after the events. */
  get(run: string): WaitingRow | undefined;
  set(run: string, waiting: Waiting): void;
}

export function waitingAfter(events: Iterable<PlacedEvent>, before: Waiting = NOT_WAITING): Waiting {
  let waiting = before;
  for (const { event, seq } of events) waiting = foldWaiting(waiting, event, seq);
  return waiting;
}

export function recordWaiting(rows: WaitingRows, run: string, events: readonly PlacedEvent[]): void {
  const row = rows.get(run);
  if (row === undefined) return;
  const folded = waitingAfter(events, row.waiting);
  const after = canChildGoOn(rows, folded) ? { ...folded, rest: ready(folded.rest) } : folded;
  rows.set(run, after);
  if (row.parent !== null && (row.isOver || after.rest?.isReady === true)) tellParent(rows, run, row.parent);
}

/** The child may have been answered, or have ended, before the run came to rest with it. */
export function canChildGoOn(rows: Pick<WaitingRows, "get">, { rest, children }: Waiting): boolean {
  if (rest === null || rest.isReady) return false;
  return children.some((child) => {
    const row = rows.get(child);
    return row !== undefined && (row.isOver || row.waiting.rest?.isReady === true);
  });
}

function tellParent(rows: WaitingRows, child: string, parent: string): void {
  const row = rows.get(parent);
  if (row === undefined) return;
  const { waiting } = row;
  if (waiting.rest === null || waiting.rest.isReady || !waiting.children.includes(child)) return;
  rows.set(parent, { ...waiting, rest: ready(waiting.rest) });
  if (row.parent !== null) tellParent(rows, parent, row.parent);
}
