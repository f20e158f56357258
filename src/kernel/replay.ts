/** replay: a run from its journal. `restore` folds it to go on; `replay` decides it all again and touches nothing but the events. */

import type { RunId } from "../base/ids.ts";
import { canonical, type JsonObject } from "../base/json.ts";
import type { Plan } from "../plan/plan.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import { dueFacts } from "../run/approval/due.ts";
import { decide } from "../run/decide.ts";
import { type EventType, type Fact, type RunEvent, stamp } from "../run/events.ts";
import { beginState, evolve } from "../run/evolve.ts";
import type { StopReason } from "../run/reasons.ts";
import type { RunState } from "../run/state.ts";
import { authorize } from "./authorize.ts";
import type { Restored } from "./hosting.ts";

/** Facts that come from outside: the kernel cannot derive them, only the journal knows them. */
const FROM_OUTSIDE: ReadonlySet<EventType> = new Set<EventType>([
  "stage.interrupted",
  "stage.rested",
  "stage.parked",
  "stage.deferred",
  "run.resumed",
  "run.pausing",
  "budget.refused",
  "run.degraded",
  "approval.answered",
]);

/** Reasons for which people end a run. */
const ASKED: ReadonlySet<StopReason> = new Set<StopReason>(["cancelled", "kill_switch"]);

/** The state after every stored event. */
export function restore(run: RunId, plan: Plan, events: Iterable<RunEvent>): Restored {
  let state: RunState | null = null;
  let seq = 0;
  for (const event of events) {
    if (state !== null) state = evolve(plan, state, event);
    else if (event.type === "run.created") state = beginState(event);
    else throw new Error(`the journal of ${run} begins with ${event.type}`);
    seq += 1;
  }
  if (state === null) throw new Error(`the journal of ${run} is empty`);
  return { run, plan, state, seq, unsaved: [] };
}

/** Policy decides again, and what it decides is masked again; nothing else is touched. */
export type ReplayPorts = Pick<KernelPorts, "policy" | "redact">;

/** The first event that the laws would not have written, or none. Seqs count from 1. */
export type Divergence = { readonly seq: number; readonly expected: string; readonly found: string };

export function replay(plan: Plan, events: readonly RunEvent[], ports: ReplayPorts): Divergence | null {
  const [created, ...rest] = events;
  if (created?.type !== "run.created") return { seq: 1, expected: "run.created", found: created?.type ?? "nothing" };
  let state = beginState(created);
  for (const [index, event] of rest.entries()) {
    const expected = expectedEvent(plan, state, event, ports);
    const found = canonical(event as unknown as JsonObject);
    if (expected !== found) return { seq: index + 2, expected, found };
    state = evolve(plan, state, event);
  }
  return null;
}

/** The canonical text of what the laws write here, given when it was written and what came from outside. */
function expectedEvent(plan: Plan, state: RunState, event: RunEvent, ports: ReplayPorts): string {
  if (isFromOutside(state, event) || isAsked(event)) return canonical(event as unknown as JsonObject);
  const next = decide(plan, state, event.at);
  if (next.kind === "wait" || next.kind === "rest") return next.kind;
  const { fact } = next.kind === "record" ? next : authorize(plan, next.state, next.start, ports.policy, next.now);
  return canonical(ports.redact(stamp(withProof(fact, event), event.at)) as unknown as JsonObject);
}

/** A certificate is made outside: the laws say only which fact carries it. */
function withProof(fact: Fact, found: RunEvent): Fact {
  const carries = fact.type === "run.finished" && found.type === "run.finished" && found.certificate !== undefined;
  return carries ? { ...fact, certificate: found.certificate } : fact;
}

/** The verdict of a person follows from the answer; that a question is over, from the time. */
function isFromOutside(state: RunState, event: RunEvent): boolean {
  if (event.type === "approval.reminded" || event.type === "approval.expired")
    return dueFacts(state, event.at).some(
      ({ type, ...due }) => type === event.type && "id" in due && due.id === event.id,
    );
  if (event.type !== "stage.finished") return FROM_OUTSIDE.has(event.type);
  return !("progress" in state) || state.progress.lanes.get(event.stage)?.leaf.kind !== "approval";
}

/** A cancel or a kill comes from a person, not from the laws. */
function isAsked(event: RunEvent): boolean {
  return (event.type === "run.stopping" || event.type === "run.finished") && ASKED.has(event.reason);
}
