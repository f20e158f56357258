/**
 * What a run waits for: a fold of a few kinds of its events. A store keeps it in an index that is written together with the
 * events, so that nobody has to read the journals of all waiting runs to find the one that has something to do.
 */
import { isMemberOf } from "../approval/approvals.ts";
import type { EventOf, EventType, RunEvent } from "../events.ts";
import type { WaitReason } from "../reasons.ts";

/** A question that nobody has answered yet. */
export interface OpenQuestion {
  readonly id: string;
  readonly stage: string;
  /** Place of its `approval.requested` in the journal of the run. */
  readonly seq: number;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  readonly remindAt: number | null;
  readonly remindedAt: number | null;
}

/** A run that does not go on until a person has answered or a time has come. */
export interface Rest {
  readonly reason: WaitReason;
  readonly since: number;
  /** When it goes on by itself; null: a person must act. */
  readonly until: number | null;
  /** What must let it then; null: nothing but time. */
  readonly target: string | null;
  /** Since it rests, a question of it was answered or has expired, or a child run that it waits for can go on or has ended. */
  readonly isReady: boolean;
}

export interface Waiting {
  /** In the order asked; a run that does not rest may have some too. */
  readonly questions: readonly OpenQuestion[];
  /** null: it does not rest. */
  readonly rest: Rest | null;
  /** Child runs that stages of it wait for. */
  readonly children: readonly string[];
}

export const NOT_WAITING: Waiting = { questions: [], rest: null, children: [] };

/** Events of all other kinds change nothing of what their run waits for. */
export const WAITING_TYPES: ReadonlySet<EventType> = new Set<EventType>([
  "approval.requested",
  "approval.answered",
  "approval.reminded",
  "approval.expired",
  "group.closed",
  "stage.rested",
  "run.waiting",
  "run.resumed",
  "run.finished",
]);

/** Whether the event can change what its run waits for. */
export function concernsWaiting({ type }: RunEvent): boolean {
  return WAITING_TYPES.has(type);
}

export function foldWaiting(waiting: Waiting, event: RunEvent, seq: number): Waiting {
  const { questions, rest } = waiting;
  const without = (isMeant: (each: OpenQuestion) => boolean): readonly OpenQuestion[] =>
    questions.filter((each) => !isMeant(each));
  switch (event.type) {
    case "approval.requested":
      return { ...waiting, questions: [...without(({ stage }) => stage === event.stage), asked(event, seq)] };
    case "approval.answered":
    case "approval.expired":
      return { ...waiting, questions: without(({ id }) => id === event.id), rest: ready(rest) };
    case "approval.reminded":
      return {
        ...waiting,
        questions: questions.map((each) => (each.id === event.id ? { ...each, remindedAt: event.at } : each)),
      };
    case "group.closed":
      return { ...waiting, questions: without(({ stage }) => isMemberOf(stage, event.stage)) };
    case "stage.rested":
      return { ...waiting, children: [...waiting.children, event.child] };
    case "run.waiting":
      return { ...waiting, rest: restSince(event) };
    case "run.resumed":
      return { ...waiting, rest: null, children: [] };
    case "run.finished":
      return NOT_WAITING;
    default:
      return waiting;
  }
}

/** When something of its questions is due next: a reminder, or the end of one. null: nothing ever is, or it does not rest. */
export function nextDue({ questions, rest }: Waiting): number | null {
  if (rest === null) return null;
  const times = questions.flatMap(({ expiresAt, remindAt, remindedAt }) => [
    ...(expiresAt === null ? [] : [expiresAt]),
    ...(remindAt === null || remindedAt !== null ? [] : [remindAt]),
  ]);
  return times.length === 0 ? null : Math.min(...times);
}

export function isWaitingForNothing({ questions, rest, children }: Waiting): boolean {
  return questions.length === 0 && rest === null && children.length === 0;
}

function asked(event: EventOf<"approval.requested">, seq: number): OpenQuestion {
  const { id, stage, at: askedAt, expiresAt, remindAt } = event;
  return { id, stage, seq, askedAt, expiresAt: expiresAt ?? null, remindAt: remindAt ?? null, remindedAt: null };
}

function restSince({ reason, at: since, until, target }: EventOf<"run.waiting">): Rest {
  return { reason, since, until: until ?? null, target: target ?? null, isReady: false };
}

export function ready(rest: Rest | null): Rest | null {
  return rest === null ? null : { ...rest, isReady: true };
}
