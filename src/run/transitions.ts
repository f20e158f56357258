/** The transition table: status × event → status. What is not in it cannot happen. docs/reference/states.md is generated from it. */
import type { EventType } from "./events.ts";
import { type Status, TERMINAL, type TerminalStatus } from "./reasons.ts";

/** `ended`: the terminal status that the event names. */
export type NextStatus = Exclude<Status, TerminalStatus> | "ended";
type Row = Partial<Record<EventType, NextStatus>>;

const ended = Object.fromEntries(TERMINAL.map((status) => [status, {}])) as Record<TerminalStatus, Row>;

export const TRANSITIONS: Readonly<Record<Status, Row>> = {
  ...ended,
  queued: { "run.started": "running" },
  running: {
    "run.resumed": "running",
    "round.started": "running",
    "stage.started": "running",
    "stage.finished": "running",
    "stage.interrupted": "running",
    "stage.refused": "running",
    "stage.rested": "running",
    "stage.parked": "running",
    "stage.deferred": "running",
    "group.opened": "running",
    "group.closed": "running",
    "policy.denied": "running",
    "budget.refused": "running",
    "run.degraded": "running",
    "approval.requested": "running",
    "approval.reminded": "running",
    "approval.expired": "running",
    "run.waiting": "waiting",
    "run.pausing": "running",
    "run.paused": "paused",
    "run.stopping": "running",
    "run.finished": "ended",
  },
  waiting: {
    "approval.answered": "waiting",
    "approval.reminded": "waiting",
    "approval.expired": "waiting",
    "run.resumed": "running",
    "run.finished": "ended",
  },
  paused: { "run.resumed": "running", "run.finished": "ended" },
};

/** The status after the event, or undefined where the table forbids it. */
export function transition(status: Status, type: EventType): NextStatus | undefined {
  return TRANSITIONS[status][type];
}
