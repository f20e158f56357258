/** What an answer, or its absence, makes of the lane that asked. Part of `evolve`. */
import type { Plan } from "../../plan/plan.ts";
import type { EventOf } from "../events.ts";
import { finishLane, laneFor } from "../lanes.ts";
import type { Deferral, Lane, Question, RunningState, RunState } from "../state.ts";

type Waiting = Extract<RunState, { status: "waiting" }>;

export function requested(plan: Plan, state: RunningState, event: EventOf<"approval.requested">): RunningState {
  const lane = laneFor(plan, state, event.stage);
  // Nothing of it ever starts, and yet it must not go round for ever.
  if (lane.leaf.kind === "approval") state.facts.started += 1;
  lane.status = "asking";
  lane.granted = null;
  lane.question = {
    kind: event.kind,
    id: event.id,
    digest: event.digest,
    answers: event.answers,
    why: event.why,
    scope: event.scope ?? null,
    expiresAt: event.expiresAt ?? null,
    remindAt: event.remindAt ?? null,
  };
  return state;
}

/** People are reminded once. */
export function reminded<S extends RunningState | Waiting>(
  plan: Plan,
  state: S,
  event: EventOf<"approval.reminded">,
): S {
  const lane = laneFor(plan, state, event.stage);
  lane.question = { ...(lane.question as Question), remindAt: null };
  return state;
}

export function expired<S extends RunningState | Waiting>(plan: Plan, state: S, event: EventOf<"approval.expired">): S {
  const lane = laneFor(plan, state, event.stage);
  lane.question = null;
  const error = "nobody answered in time";
  if (refuse(lane, "expired", error)) return state;
  return { ...state, stopping: { reason: "approval_expired", detail: `${event.stage}: ${error}` } };
}

/** A gate that a person judges has failed; anything else that is not allowed ends the run. */
function refuse(lane: Lane, cause: "denied" | "expired", error: string): boolean {
  if (lane.leaf.kind !== "approval") return false;
  lane.status = "ready";
  lane.refusal = { cause, error };
  return true;
}

export function answered(plan: Plan, state: Waiting, event: EventOf<"approval.answered">): RunState {
  const lane = laneFor(plan, state, event.stage);
  const kind = lane.question?.kind;
  const scope = lane.question?.scope ?? null;
  lane.question = null;
  switch (event.answer) {
    case "approve_run":
      if (scope !== null) state.facts.allowed.add(scope);
      return granted(state, lane, event.digest);
    case "approve":
      if (kind === "call") return callDecided(state, lane, null);
      return granted(state, lane, event.digest);
    case "deny": {
      const error = `denied by ${event.by}${event.why === undefined ? "" : `: ${event.why}`}`;
      if (kind === "call") return callDecided(state, lane, error);
      if (refuse(lane, "denied", error)) return state;
      return { ...state, stopping: { reason: "approval_denied", detail: `${event.stage}: ${error}` } };
    }
    case "again":
      lane.status = "ready";
      return state;
    default:
      return settled(plan, state, lane, event);
  }
}

function granted(state: Waiting, lane: Lane, digest: string): RunState {
  lane.status = "ready";
  lane.granted = digest;
  return state;
}

/** The stage may begin again as it may anyway; what is allowed, or denied, is this one call. */
function callDecided(state: Waiting, lane: Lane, denied: string | null): RunState {
  lane.status = "ready";
  lane.deferral = { ...(lane.deferral as Deferral), allowed: denied === null, denied };
  return state;
}

/** A person knows how the attempt that was lost has ended. */
function settled(plan: Plan, state: Waiting, lane: Lane, event: EventOf<"approval.answered">): RunState {
  const outcome = event.answer === "done" ? "success" : "failure";
  const cause = event.answer === "done" ? "ok" : "exit";
  const tree = lane.leftTree ?? undefined;
  const { facts, progress } = state;
  const running: RunningState = { status: "running", facts, progress, stopping: null, pausing: null };
  const result = { outcome, cause, error: `answered by ${event.by}`, tree } as const;
  const after = finishLane(plan, running, event.stage, result, event.at);
  return { ...state, progress: after.progress };
}
