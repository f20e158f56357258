import { describe, expect, it } from "vitest";
import { CALM } from "../../../test/support/gateway/calm.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import type { RunId } from "../../base/ids.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ModelAccess } from "../../ports/models/model-access.ts";
import type { Fact, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunningState, RunState } from "../state.ts";
import { turnLimit } from "./turns.ts";

const created = {
  type: "run.created",
  at: 1000,
  run: "r_1" as RunId,
  blueprint: "test",
  plan: "p",
  params: {},
} as const;
const ASK = "command: [ok], models: { tokens: 10, usd: 0, calls: 4 }, effect: idempotent";
const KID = `stages:\n  - { id: k, ${ASK} }\n`;

function fold(plan: Plan, ...facts: readonly Fact[]): RunningState {
  const all: readonly Fact[] = [{ type: "run.started" }, ...facts];
  const end = all.reduce<RunState>(
    (state, fact, index) => evolve(plan, state, { ...fact, at: index + 1001 } as RunEvent),
    beginState(created),
  );
  if (end.status !== "running") throw new Error(`it is ${end.status}`);
  return end;
}

describe("turns", () => {
  const loop = (limit: number) =>
    planFrom(`limits: { rounds: 20, turns: ${limit} }\nstages:\n  - { id: a, ${ASK}, on_success: a }\n`);
  const models = (calls: number): ModelAccess => ({
    open: async () => ({
      env: {},
      socket: "",
      ...CALM,
      close: async () => ({ usage: NO_USAGE, calls, refused: 0, missed: 0, parkedUntil: null }),
    }),
    reconcile: async () => ({ usage: NO_USAGE, calls, refused: 0, missed: 0, parkedUntil: null }),
  });

  it.each([
    [12, 4, 3, 12],
    [11, 4, 2, 8],
    [11, 1, 8, 8],
    [3, 4, 0, 0],
  ])("of a run with %i that makes %i in each attempt let %i attempts start", async (limit, calls, starts, turns) => {
    const host = createTestHost(loop(limit), {
      ports: { models: models(calls) },
      work: ({ key }, files) => {
        files.set("a", key);
      },
    });
    const end = await host.start();
    expect(end).toMatchObject({
      state: { status: "blocked", reason: "max_turns", detail: `limits.turns is ${limit}`, facts: { turns } },
    });
    expect(host.executed).toHaveLength(starts);
  });

  it("that nobody told of count as many as there may be", () => {
    const plan = loop(12);
    const start: Fact = { type: "stage.started", stage: "a", visit: 1, attempt: 1, rule: "x" };
    const cut: Fact = { type: "stage.interrupted", stage: "a", attempt: 1 };
    const done: Fact = { type: "stage.finished", stage: "a", attempt: 1, outcome: "success", cause: "ok" };
    const parked: Fact = {
      type: "stage.parked",
      stage: "a",
      attempt: 1,
      reason: "awaiting_quota",
      until: 9000,
      why: "no quota",
    };
    for (const end of [cut, done, parked]) {
      expect(fold(plan, start, end).facts.turns).toBe(4);
      expect(fold(plan, start, { ...end, turns: 1 }).facts.turns).toBe(1);
    }
  });

  it("of child runs count when these end, with their worst case reserved", () => {
    const plan = planFrom(
      `limits: { turns: 7 }
stages:
  - id: g
    group: { parallel: [ { id: r, run: { blueprint: ./kid.yaml } }, { id: a, ${ASK} }, { id: x, command: [ok] } ] }
`,
      { children: { "kid.yaml": KID } },
    );
    expect(plan.bound.turns).toBe(7);
    const opened: Fact = { type: "group.opened", stage: "g", visit: 1, members: 3 };
    const start: Fact = { type: "stage.started", stage: "g.r", visit: 1, attempt: 1, rule: "x" };
    const cut: Fact = { type: "stage.interrupted", stage: "g.r", attempt: 1 };
    const rested: Fact = { type: "stage.rested", stage: "g.r", attempt: 1, child: "r_2" };
    const done = { type: "stage.finished", stage: "g.r", attempt: 1, outcome: "success", cause: "ok" } as const;
    const at = (path: string, ...facts: readonly Fact[]) => {
      const { facts: known, progress } = fold(plan, opened, ...facts);
      const lane = progress.lanes.get(path);
      if (lane === undefined) throw new Error("no lane");
      return turnLimit(plan, known, progress, lane.leaf)?.reason ?? "begins";
    };
    expect([at("g.r"), at("g.a"), at("g.x")]).toEqual(["begins", "begins", "begins"]);
    expect([at("g.a", start), at("g.x", start), at("g.a", start, rested)]).toEqual([
      "max_turns",
      "begins",
      "max_turns",
    ]);
    expect(fold(plan, opened, start, cut).facts.turns).toBe(0);
    expect(fold(plan, opened, start, { ...done, turns: 3 }).facts.turns).toBe(3);
    expect(fold(plan, opened, start, done).facts.turns).toBe(4);
    const [kid] = plan.children;
    const old = { ...plan, children: [{ ...kid, bound: { ...kid?.bound, turns: undefined } }] } as unknown as Plan;
    expect(fold(old, opened, start, done).facts.turns).toBe(0);
  });
});
