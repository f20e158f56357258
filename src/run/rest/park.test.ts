import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { Plan } from "../../plan/plan.ts";
import { resumeFacts } from "../approval/answer.ts";
import { decide } from "../decide.ts";
import type { EventOf, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunState } from "../state.ts";
import { MOST_PARKS } from "./park.ts";

const BORN = 1_700_000_000_000;
const MINUTE = 60_000;
const STAGE = "stages:\n  - { id: a, command: [ok], max_attempts: 2 }\n";
const BOTH = `stages:
  - id: g
    group:
      parallel:
        - { id: a, command: [ok] }
        - { id: b, command: [ok] }
`;

const CREATED: EventOf<"run.created"> = {
  type: "run.created",
  at: BORN,
  run: "r_1",
  blueprint: "b",
  plan: "p",
  params: {},
};
const STARTED: RunEvent = { type: "run.started", at: BORN };

function started(stage: string, attempt: number, at = BORN): RunEvent {
  return { type: "stage.started", at, stage, visit: 1, attempt, rule: "r" };
}

function parked(stage: string, attempt: number, at: number, until: number | null): RunEvent {
  return { type: "stage.parked", at, stage, attempt, reason: "awaiting_quota", until, why: "limit reached" };
}

function fold(plan: Plan, ...events: readonly RunEvent[]): RunState {
  return events.reduce((state, event) => evolve(plan, state, event), beginState(CREATED));
}

describe("an attempt that is refused for now", () => {
  const plan = planFrom(STAGE);

  it("rests until the time that was said, and counts for nothing", () => {
    const state = fold(plan, STARTED, started("a", 1), parked("a", 1, BORN + 5, BORN + MINUTE));
    expect(state.facts).toMatchObject({ started: 0, consecutiveFailures: 0, lastFailure: null });
    expect(decide(plan, state, BORN + 5)).toEqual({
      kind: "record",
      fact: { type: "run.waiting", reason: "awaiting_quota", until: BORN + MINUTE },
    });
  });

  it("is tried again when its time has come, with as many attempts as before", () => {
    const rest: RunEvent = { type: "run.waiting", at: BORN + 5, reason: "awaiting_quota", until: BORN + MINUTE };
    const waiting = fold(plan, STARTED, started("a", 1), parked("a", 1, BORN + 5, BORN + MINUTE), rest);
    expect(waiting).toMatchObject({ status: "waiting", reason: "awaiting_quota", until: BORN + MINUTE });
    expect(() => resumeFacts(plan, waiting, { by: "ada" }, BORN + MINUTE - 1)).toThrow(
      "rests until 2023-11-14T22:14:20Z: awaiting_quota",
    );
    expect(resumeFacts(plan, waiting, { by: "ada" }, BORN + MINUTE).facts).toEqual([
      { type: "run.resumed", after: "wait" },
    ]);
    const state = evolve(plan, waiting, { type: "run.resumed", at: BORN + MINUTE, after: "wait" });
    expect(decide(plan, state, BORN + MINUTE)).toMatchObject({
      kind: "authorize",
      start: { path: "a", attempt: 2, failures: 0 },
    });
  });

  it("is tried before its time when a person insists", () => {
    const rest: RunEvent = { type: "run.waiting", at: BORN + 5, reason: "awaiting_quota", until: BORN + MINUTE };
    const waiting = fold(plan, STARTED, started("a", 1), parked("a", 1, BORN + 5, BORN + MINUTE), rest);
    const { facts } = resumeFacts(plan, waiting, { by: "ada", early: true }, BORN + 9);
    expect(facts).toEqual([{ type: "run.resumed", after: "wait", early: true }]);
    const state = evolve(plan, waiting, { type: "run.resumed", at: BORN + 9, after: "wait", early: true });
    expect(decide(plan, state, BORN + 9)).toMatchObject({ kind: "authorize", start: { path: "a", attempt: 2 } });
  });

  /** How long the run waits after so many refusals, each of which named this instant. */
  function waitsWith(until: number | null): readonly number[] {
    return [1, 2, 3, 5, 8, 20].map((parks) => {
      const events = Array.from({ length: parks }, (_, at) => [started("a", at + 1), parked("a", at + 1, BORN, until)]);
      const state = fold(plan, STARTED, ...events.flat());
      return (state.status === "running" ? (state.progress.lanes.get("a")?.readyAt ?? 0) : 0) - BORN;
    });
  }

  it("waits longer each time when nobody said until when", () => {
    expect(waitsWith(null)).toEqual([1, 2, 4, 16, 60, 60].map((minutes) => minutes * MINUTE));
  });

  it("waits exactly as long as was said, as long as that is not said too often", () => {
    expect(waitsWith(BORN + 8000)).toEqual([8000, 8000, 8000, 8000, 64_000, 60 * MINUTE]);
  });

  it("goes on at once when the time is over, and hammers nobody who always says so", () => {
    for (const until of [BORN, BORN - 5]) expect(waitsWith(until)).toEqual([0, 1000, 2000, 8000, 64_000, 60 * MINUTE]);
  });

  it("believes a time less once it has proved wrong", () => {
    const second = [started("a", 2), parked("a", 2, BORN + 2, BORN + 3)];
    const state = fold(plan, STARTED, started("a", 1), parked("a", 1, BORN, BORN + 1), ...second);
    expect(decide(plan, state, BORN + 2)).toMatchObject({ fact: { type: "run.waiting", until: BORN + 2 + 1000 } });
    const late = [started("a", 2), parked("a", 2, BORN + 2, BORN + 9 * MINUTE)];
    const believed = fold(plan, STARTED, started("a", 1), parked("a", 1, BORN, BORN + 1), ...late);
    expect(decide(plan, believed, BORN + 2)).toMatchObject({ fact: { until: BORN + 9 * MINUTE } });
  });

  it("has failed when it was refused too often", () => {
    const events = Array.from({ length: MOST_PARKS + 1 }, (_, at) => [
      started("a", at + 1),
      parked("a", at + 1, BORN, null),
    ]);
    const state = fold(plan, STARTED, ...events.flat());
    expect(state.facts).toMatchObject({
      started: 1,
      consecutiveFailures: 1,
      lastFailure: { stage: "a", cause: "parked", error: "limit reached" },
    });
  });

  it("is charged what it says it has spent", () => {
    const usage = { tokens: 7, microUsd: 9 };
    const event: RunEvent = { ...(parked("a", 1, BORN, null) as EventOf<"stage.parked">), usage };
    expect(fold(plan, STARTED, started("a", 1), event).facts.usage).toEqual(usage);
  });
});

describe("a group with a member that is refused for now", () => {
  const plan = planFrom(BOTH);
  const open: RunEvent = { type: "group.opened", at: BORN, stage: "g", visit: 1, members: 2 };

  it("goes on with the others before it rests", () => {
    const state = fold(plan, STARTED, open, started("g.a", 1), parked("g.a", 1, BORN, BORN + MINUTE));
    expect(decide(plan, state, BORN)).toMatchObject({ kind: "authorize", start: { path: "g.b" } });
  });

  it("rests until the first of them may be tried, and leaves the others where they are", () => {
    const rest: RunEvent = { type: "run.waiting", at: BORN, reason: "awaiting_quota", until: BORN + MINUTE };
    const events = [open, started("g.a", 1), started("g.b", 1), parked("g.b", 1, BORN, BORN + MINUTE)];
    const state = fold(plan, STARTED, ...events, parked("g.a", 1, BORN, BORN + 2 * MINUTE));
    expect(decide(plan, state, BORN)).toEqual({
      kind: "record",
      fact: { type: "run.waiting", reason: "awaiting_quota", until: BORN + MINUTE },
    });
    const turned = [open, started("g.a", 1), started("g.b", 1), parked("g.a", 1, BORN, BORN + MINUTE)];
    const other = fold(plan, STARTED, ...turned, parked("g.b", 1, BORN, BORN + 2 * MINUTE));
    expect(decide(plan, other, BORN)).toMatchObject({ fact: { until: BORN + MINUTE } });
    const resumed: RunEvent = { type: "run.resumed", at: BORN + MINUTE, after: "wait" };
    const woken = evolve(plan, evolve(plan, state, rest), resumed);
    expect(decide(plan, woken, BORN + MINUTE)).toMatchObject({ kind: "authorize", start: { path: "g.b" } });
    const again = evolve(plan, woken, started("g.b", 2, BORN + MINUTE));
    expect(decide(plan, again, BORN + MINUTE)).toEqual({ kind: "wait", until: BORN + 2 * MINUTE });
  });
});

describe("a member that was refused and is over", () => {
  it("is not what its run waits for", () => {
    const plan = planFrom(
      "stages:\n  - id: g\n    group: { parallel: [ { id: a, command: [ok] }, { id: b, command: [ask] } ] }\n",
    );
    const open: RunEvent = { type: "group.opened", at: BORN, stage: "g", visit: 1, members: 2 };
    const over: RunEvent = {
      type: "stage.finished",
      at: BORN + 9,
      stage: "g.a",
      attempt: 2,
      outcome: "success",
      cause: "ok",
    };
    const asked: RunEvent = {
      ...{ type: "approval.requested", at: BORN, stage: "g.b", visit: 1, kind: "policy", id: "1-0" },
      ...{ digest: "0", why: "asked", answers: ["approve"], policy: "0" },
    } as EventOf<"approval.requested">;
    const parking = [open, asked, started("g.a", 1), parked("g.a", 1, BORN, BORN + 5), started("g.a", 2, BORN + 5)];
    expect(decide(plan, fold(plan, STARTED, ...parking, over), BORN + 9)).toEqual({
      kind: "record",
      fact: { type: "run.waiting", reason: "awaiting_approval" },
    });
  });
});

describe("a stage whose child run is refused for now", () => {
  const plan = planFrom(BOTH);
  const open: RunEvent = { type: "group.opened", at: BORN, stage: "g", visit: 1, members: 2 };
  const done: RunEvent = {
    type: "stage.finished",
    at: BORN,
    stage: "g.b",
    attempt: 1,
    outcome: "success",
    cause: "ok",
  };

  it("rests until its child goes on, counts for nothing, and may always be gone on with", () => {
    const reason = "awaiting_quota" as const;
    const rested: RunEvent = {
      type: "stage.rested",
      at: BORN,
      stage: "g.a",
      attempt: 1,
      child: "r_2",
      parked: { reason, until: BORN + MINUTE },
    };
    const state = fold(plan, STARTED, open, started("g.a", 1), started("g.b", 1), done, rested);
    expect(state.facts.started).toBe(1);
    const fact = { type: "run.waiting", reason, until: BORN + MINUTE } as const;
    expect(decide(plan, state, BORN)).toEqual({ kind: "record", fact });
    const waiting = evolve(plan, state, { ...fact, at: BORN });
    expect(resumeFacts(plan, waiting, { by: "ada" }, BORN + 1).facts).toHaveLength(1);
    const woken = evolve(plan, waiting, { type: "run.resumed", at: BORN + 1, after: "wait" });
    expect(decide(plan, woken, BORN + 1)).toMatchObject({ kind: "authorize", start: { path: "g.a" } });
  });
});
