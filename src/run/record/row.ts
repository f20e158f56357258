/** What an event changes in the row that lists its run. The row is derived: it can always be made again from the events. */
import type { EventOf, RunEvent } from "../events.ts";
import { isTerminal, type Status, type StopReason, type WaitReason } from "../reasons.ts";

export interface RowChange {
  readonly status: Status;
  readonly reason: StopReason | WaitReason | null;
}

/** Runs of drills are listed under this instead of a run. */
export const DRILLS = "drill";

/** What a run is listed under: the run that started it, the drills, or nothing. */
export function listedUnder({ parent, drill }: EventOf<"run.created">): string | null {
  return drill === undefined ? (parent?.run ?? null) : DRILLS;
}

/** The same, as a row tells it. */
export function startedBy(under: string | null): { readonly parent: string | null; readonly drill?: true } {
  return under === DRILLS ? { parent: null, drill: true } : { parent: under };
}

/** undefined: the event leaves status and reason as they are. */
export function rowChange(event: RunEvent): RowChange | undefined {
  switch (event.type) {
    case "run.created":
      return { status: "queued", reason: null };
    case "run.started":
    case "run.resumed":
      return { status: "running", reason: null };
    case "run.waiting":
      return { status: "waiting", reason: event.reason };
    case "run.paused":
      return { status: "paused", reason: null };
    case "run.finished":
      return { status: event.status as Status, reason: event.reason };
    default:
      return undefined;
  }
}

/** The change that stands after all of these events. */
export function lastRowChange(events: readonly RunEvent[]): RowChange | undefined {
  let last: RowChange | undefined;
  for (const event of events) last = rowChange(event) ?? last;
  return last;
}

/** Whether a run of this status needs no host: it has ended, or rests until a person acts. */
export function isAtRest(status: Status): boolean {
  return status === "waiting" || status === "paused" || isTerminal(status);
}
