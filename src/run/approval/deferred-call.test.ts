/** A run whose agent asks about one call: what its journal makes of it, event by event. */
import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { RunId } from "../../base/ids.ts";
import type { EventOf, Fact, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { Lane, RunState } from "../state.ts";
import { callDigest, callSubject } from "./deferred-call.ts";

const PLAN = planFrom(
  "stages:\n  - { id: fix, agent: { use: asks, goal: x }, max_attempts: 2, models: { tokens: 100, usd: 1, calls: 9 } }\n",
);
const CALL = { tool: "edit", input: { path: "a" }, requests: [{ kind: "edit", path: "a" }] };
const DIGEST = callDigest(CALL);
const QUESTION = { id: "q", digest: "d", why: "w", answers: ["approve", "deny"], policy: "p" };

const started = (attempt: number): Fact => ({ type: "stage.started", stage: "fix", visit: 1, attempt, rule: "r" });
const deferred = (attempt: number, more: Partial<EventOf<"stage.deferred">> = {}): Fact => ({
  ...{ type: "stage.deferred", stage: "fix", attempt, call: CALL, digest: DIGEST, why: "w", rule: "r", tookMs: 10 },
  ...more,
});
const ASKED: readonly Fact[] = [
  { type: "approval.requested", stage: "fix", visit: 1, kind: "call", ...QUESTION },
  { type: "run.waiting", reason: "awaiting_approval" },
  { type: "approval.answered", stage: "fix", id: "q", digest: "d", answer: "approve", by: "ann" },
  { type: "run.resumed", after: "wait" },
];

function folded(...facts: readonly Fact[]): { readonly state: RunState; readonly lane: Lane | undefined } {
  const run = "r_1" as RunId;
  let state = beginState({
    type: "run.created",
    at: 0,
    run,
    blueprint: "t",
    plan: PLAN.fingerprint,
    params: {},
    tree: "t0",
  });
  for (const fact of [{ type: "run.started" }, ...facts] as readonly Fact[])
    state = evolve(PLAN, state, { ...fact, at: 1 } as RunEvent);
  return { state, lane: "progress" in state ? state.progress.lanes.get("fix") : undefined };
}

describe("a deferred call", () => {
  it("is no failure and no start: it counts for what it has used", () => {
    const { state, lane } = folded(
      started(1),
      deferred(1, { tree: "t1", usage: { tokens: 30, microUsd: 5 }, turns: 2 }),
    );
    expect(state.facts).toMatchObject({
      started: 0,
      consecutiveFailures: 0,
      turns: 2,
      usage: { tokens: 30, microUsd: 5 },
    });
    expect(lane).toMatchObject({ status: "deferred", failures: 0, tree: "t1" });
    expect(lane?.deferral).toMatchObject({
      from: "t0",
      allowed: false,
      tookMs: 10,
      turns: 2,
      usage: { tokens: 30, microUsd: 5 },
    });
  });

  it("is charged with all it might have used where nobody says what it has", () => {
    const { state } = folded(started(1), deferred(1));
    expect(state.facts).toMatchObject({ turns: 9, usage: { tokens: 100, microUsd: 1_000_000 } });
  });

  it("is allowed for the attempt that follows, and for no other", () => {
    const asked = [started(1), deferred(1, { tree: "t1" }), ...ASKED];
    expect(folded(...asked).lane?.deferral?.allowed).toBe(true);
    const { lane } = folded(...asked, started(2));
    expect(lane?.deferral?.allowed).toBe(false);
    expect(lane?.tree).toBe("t1");
  });

  it("adds up with those before it, and knows where the first began", () => {
    const spent = { usage: { tokens: 10, microUsd: 1 }, turns: 1 };
    const { lane } = folded(
      started(1),
      deferred(1, { tree: "t1", ...spent }),
      ...ASKED,
      started(2),
      deferred(2, { tree: "t2", ...spent }),
    );
    expect(lane).toMatchObject({
      tree: "t2",
      deferral: { from: "t0", turns: 2, tookMs: 20, usage: { tokens: 20, microUsd: 2 } },
    });
  });

  it.each([
    ["failed", { type: "stage.finished", stage: "fix", attempt: 2, outcome: "failure", cause: "agent", tree: "t2" }],
    ["was lost", { type: "stage.interrupted", stage: "fix", attempt: 2 }],
    [
      "was refused for now",
      { type: "stage.parked", stage: "fix", attempt: 2, reason: "awaiting_quota", until: 5, why: "w" },
    ],
  ] as const)("leaves nothing to the attempt after one that %s", (_how, end) => {
    const { lane } = folded(started(1), deferred(1, { tree: "t1" }), ...ASKED, started(2), end as Fact);
    expect(lane).toMatchObject({ tree: "t0", deferral: null });
  });

  it("is asked about as exactly what it is", () => {
    const place = { path: "fix", visit: 1, tree: "t1", attempts: 1 };
    expect(callSubject(place, { call: CALL, digest: DIGEST })).toMatchObject({
      place: { path: "fix", attempt: 1, tree: "t1" },
      request: { kind: "call", ...CALL, digest: DIGEST },
    });
    expect(callDigest({ ...CALL, input: { path: "b" } })).not.toBe(DIGEST);
  });
});

describe("an answer of an agent", () => {
  it("is the end of its stage, whatever it is: nothing is tried again", () => {
    const plan = planFrom(
      "stages:\n  - { id: fix, agent: { use: asks, role: checker, goal: x }, max_attempts: 3, on: { reject: done } }\n",
    );
    const run = "r_1" as RunId;
    let state = beginState({
      type: "run.created",
      at: 0,
      run,
      blueprint: "t",
      plan: plan.fingerprint,
      params: {},
      tree: "t0",
    });
    const end = { type: "stage.finished", stage: "fix", attempt: 1, outcome: "reject", cause: "ok" } as const;
    for (const fact of [{ type: "run.started" }, started(1), end] as readonly Fact[])
      state = evolve(plan, state, { ...fact, at: 1 } as RunEvent);
    expect("progress" in state ? state.progress.cursor : null).toEqual({ end: "done" });
    expect(state.facts).toMatchObject({ consecutiveFailures: 0, roundFailed: true });
  });
});
