/** A call of an agent that a person must allow: the question about it, what an answer makes of it, and which call it is. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import { addUsage, NO_USAGE } from "../../base/usage.ts";
import type { Plan } from "../../plan/plan.ts";
import { countTurns } from "../children/turns.ts";
import type { DeferredCall, EventOf, Fact } from "../events.ts";
import { laneFor } from "../lanes.ts";
import { chargeOf } from "../limits.ts";
import type { Deferral, Lane, RunFacts, RunningState } from "../state.ts";
import { ask, QUESTION_MS, type Subject } from "./question.ts";

/** The attempt has ended with a question. It is no failure, and what goes on from it is the same attempt to every limit. */
export function defer(plan: Plan, state: RunningState, event: EventOf<"stage.deferred">): RunningState {
  const { facts } = state;
  const lane = laneFor(plan, state, event.stage);
  const { call, digest, why, rule, tookMs } = event;
  const usage = event.usage ?? chargeOf(lane.leaf);
  const turnsBefore = facts.turns;
  facts.usage = addUsage(facts.usage, usage);
  countTurns(plan, facts, lane.leaf, event.turns);
  facts.started -= 1;
  const before = lane.deferral;
  lane.status = "deferred";
  lane.deferral = {
    ...{ call, digest, why, rule, allowed: false, denied: null },
    from: before === null ? lane.tree : before.from,
    usage: addUsage(before?.usage ?? NO_USAGE, usage),
    turns: (before?.turns ?? 0) + facts.turns - turnsBefore,
    tookMs: (before?.tookMs ?? 0) + tookMs,
  };
  lane.tree = event.tree ?? lane.tree;
  return state;
}

/** What the person is asked about: exactly this call, in the tree that the agent has got to. */
export function callSubject(
  lane: Pick<Lane, "path" | "visit" | "tree" | "attempts">,
  { call, digest }: Pick<Deferral, "call" | "digest">,
): Subject {
  return { place: { ...lane, attempt: lane.attempts }, request: { ...callJson(call), digest } };
}

export function askAboutCall(plan: Plan, facts: RunFacts, lane: Lane, now: number): Fact {
  const deferral = lane.deferral as Deferral;
  const { why, rule } = deferral;
  const subject = callSubject(lane, deferral);
  const answers = ["approve", "deny"];
  return ask(plan, facts, { ...subject, kind: "call", why, answers, rule, expiresMs: QUESTION_MS }, now);
}

function callJson({ tool, input, requests }: DeferredCall): JsonObject {
  return { kind: "call", tool, input, requests };
}

/** Two calls with the same digest do the same. How a backend numbers its calls does not matter. */
export function callDigest(call: DeferredCall): string {
  return sha256(canonical(callJson(call)));
}
