/** The law of the index of waiting runs: after every event it says what the state of the run says, and overlooks no run that can go on. */
import type { Plan } from "../../src/plan/plan.ts";
import { neededAnswer, restsUntil } from "../../src/run/approval/answer.ts";
import { openLanes } from "../../src/run/approval/due.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { beginState, evolve } from "../../src/run/evolve.ts";
import { foldWaiting, NOT_WAITING, nextDue, type Waiting } from "../../src/run/record/waiting.ts";
import type { RunState } from "../../src/run/state.ts";
import type { Law } from "./life.ts";

export const WAITING_LAWS: Readonly<Record<string, Law>> = {
  "the index of waiting runs says what the state says": ({ plan, events }) =>
    brokenAt(
      plan,
      events.map(({ event }) => event),
    ),
};

function brokenAt(plan: Plan, events: readonly RunEvent[]): string | null {
  let [state, waiting]: [RunState | null, Waiting] = [null, NOT_WAITING];
  for (const [index, event] of events.entries()) {
    if (event.type === "run.created") state = beginState(event);
    else if (state !== null) state = evolve(plan, state, event);
    waiting = foldWaiting(waiting, event, index + 1);
    const broken = state === null ? null : difference(plan, state, waiting, events);
    if (broken !== null) return `after event ${index + 1}, ${event.type}: ${broken}`;
  }
  return null;
}

function difference(plan: Plan, state: RunState, waiting: Waiting, events: readonly RunEvent[]): string | null {
  return restDifference(state, waiting) ?? askedDifference(state, waiting, events) ?? overlooked(plan, state, waiting);
}

function restDifference(state: RunState, { rest }: Waiting): string | null {
  const { reason, until, target } = state.status === "waiting" ? state : { reason: null, until: null, target: null };
  const isSame = (rest?.reason ?? null) === reason && (rest?.until ?? null) === until;
  return isSame && (rest?.target ?? null) === target ? null : `it rests as ${JSON.stringify(rest)}, not for ${reason}`;
}

function askedDifference(state: RunState, waiting: Waiting, events: readonly RunEvent[]): string | null {
  const asked = "progress" in state ? openLanes(state.progress) : [];
  const told = (lines: readonly string[]): string => [...lines].sort().join("; ");
  const ofState = told(
    asked.map(({ path, question: { id, expiresAt, remindAt } }) => `${path} ${id} ${expiresAt} ${remindAt}`),
  );
  const ofIndex = told(
    waiting.questions.map(({ stage, id, expiresAt, remindAt, remindedAt }) => {
      return `${stage} ${id} ${expiresAt} ${remindedAt === null ? remindAt : null}`;
    }),
  );
  if (ofState !== ofIndex) return `the index has the questions [${ofIndex}], the state [${ofState}]`;
  const misplaced = waiting.questions.find(({ seq, id }) => {
    const event = events[seq - 1];
    return event?.type !== "approval.requested" || event.id !== id;
  });
  if (misplaced !== undefined) return `${misplaced.id} was not asked at ${misplaced.seq}`;
  const times = asked.flatMap(({ question: { expiresAt, remindAt } }) => [expiresAt ?? [], remindAt ?? []].flat());
  const due = state.status === "waiting" && times.length > 0 ? Math.min(...times) : null;
  return nextDue(waiting) === due ? null : `something is due at ${due}, and the index says ${nextDue(waiting)}`;
}

/** What rests and is not ready has nothing to do without a person, a child run or a time. */
function overlooked(plan: Plan, state: RunState, { rest }: Waiting): string | null {
  if (state.status !== "waiting" || rest === null || rest.isReady) return null;
  if ([...state.progress.lanes.values()].some(({ status }) => status === "resting")) return null;
  const now = state.facts.at;
  const waits = neededAnswer(plan, state, now) !== null || restsUntil(plan, state, now) !== null;
  return waits ? null : "it could go on, and the index does not say so";
}
