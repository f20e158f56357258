import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import type { RunId } from "../../base/ids.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ChildReport } from "../../ports/child-runs.ts";
import type { Fact, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunningState, RunState } from "../state.ts";
import { spawnLimit } from "./spawns.ts";

const created = {
  type: "run.created",
  at: 1000,
  run: "r_1" as RunId,
  blueprint: "test",
  plan: "p",
  params: {},
} as const;

describe("child runs", () => {
  const KID = "stages:\n  - { id: k, command: [ok] }\n";
  const MIDDLE = "stages:\n  - { id: m, run: { blueprint: ./kid.yaml } }\n";
  const children = { "kid.yaml": KID, "middle.yaml": MIDDLE };
  const report = (fields: Partial<ChildReport> = {}): ChildReport =>
    ({
      ended: true,
      status: "succeeded",
      reason: "reported",
      usage: NO_USAGE,
      turns: 0,
      spawned: 0,
      tree: null,
      ...fields,
    }) as ChildReport;
  const loop = (limits: string, child: string) =>
    planFrom(
      `limits: { rounds: 9, ${limits} }\nstages:\n  - { id: r, run: { blueprint: ./${child}.yaml }, on_success: r }\n`,
      { children },
    );

  async function starts(plan: Plan, told: Partial<ChildReport> = {}) {
    let begun = 0;
    const host = createTestHost(plan, {
      ports: {
        children: {
          run: async () => {
            begun += 1;
            return report({ tree: `${begun}`.repeat(40), ...told });
          },
        },
      },
    });
    const end = await host.start();
    if (end.lost || !("reason" in end.state)) throw new Error("it did not end");
    return { begun, reason: end.state.reason, spawned: end.state.facts.spawned };
  }

  it("are begun up to limits.spawns and not once more", async () => {
    expect(await starts(loop("spawns: 3", "kid"))).toEqual({ begun: 3, reason: "max_spawns", spawned: 3 });
    expect(await starts(loop("spawns: 9", "kid"))).toEqual({ begun: 9, reason: "max_rounds", spawned: 9 });
  });

  it("count with those that they begin, reserved before and counted as told", async () => {
    expect(await starts(loop("spawns: 1", "middle"))).toEqual({ begun: 0, reason: "max_spawns", spawned: 0 });
    expect(await starts(loop("spawns: 4", "middle"), { spawned: 1 })).toEqual({
      begun: 2,
      reason: "max_spawns",
      spawned: 4,
    });
    expect(await starts(loop("spawns: 4", "middle"))).toEqual({ begun: 3, reason: "max_spawns", spawned: 3 });
  });

  it("that cannot tell count as their worst case", async () => {
    const plan = loop("spawns: 9", "middle");
    const started = (visit: number): Fact => ({ type: "stage.started", stage: "r", visit, attempt: 1, rule: "x" });
    const ended: Fact = { type: "stage.finished", stage: "r", attempt: 1, outcome: "failure", cause: "killed" };
    expect(fold(plan, started(1), ended).facts.spawned).toBe(2);
    const old = {
      ...plan,
      children: plan.children.map((child) => ({ ...child, bound: { ...child.bound, spawns: undefined } })),
    };
    expect(fold(old as unknown as Plan, started(1), ended).facts.spawned).toBe(1);
  });

  it("are the same after an interruption, and new after a failure", () => {
    const plan = planFrom(
      "limits: { spawns: 9 }\nstages:\n  - { id: r, run: { blueprint: ./kid.yaml }, max_attempts: 3 }\n",
      { children },
    );
    const started = (attempt: number): Fact => ({ type: "stage.started", stage: "r", visit: 1, attempt, rule: "x" });
    const cut: Fact = { type: "stage.interrupted", stage: "r", attempt: 1 };
    const failed: Fact = {
      type: "stage.finished",
      stage: "r",
      attempt: 2,
      outcome: "failure",
      cause: "child",
      spawned: 0,
    };
    expect(fold(plan, started(1), cut, started(2)).facts.spawned).toBe(1);
    expect(fold(plan, started(1), cut, started(2), failed, started(3)).facts.spawned).toBe(2);
  });

  it("that were cut off need no room of their own again, but keep that of their children", () => {
    const plan = planFrom(
      `limits: { spawns: 4 }
stages:
  - id: g
    group: { parallel: [ { id: x, run: { blueprint: ./middle.yaml } }, { id: y, run: { blueprint: ./middle.yaml } }, { id: z, command: [ok] } ] }
`,
      { children },
    );
    const opened: Fact = { type: "group.opened", stage: "g", visit: 1, members: 3 };
    const start = (stage: string): Fact => ({ type: "stage.started", stage, visit: 1, attempt: 1, rule: "x" });
    const cut = (stage: string): Fact => ({ type: "stage.interrupted", stage, attempt: 1 });
    const at = (path: string, ...facts: readonly Fact[]) => {
      const state = fold(plan, opened, ...facts);
      const lane = state.progress.lanes.get(path);
      if (lane === undefined) throw new Error("no lane");
      return spawnLimit(plan, state.facts, state.progress, path, lane.leaf)?.reason ?? "begins";
    };
    expect(at("g.z")).toBe("begins");
    expect(at("g.y", start("g.x"))).toBe("begins");
    expect(at("g.y", start("g.x"), start("g.y"), cut("g.x"), cut("g.y"))).toBe("begins");
    const tight = { ...plan, limits: { ...plan.limits, spawns: 3 } };
    const state = fold(tight, opened, start("g.x"));
    const leaf = state.progress.lanes.get("g.y")?.leaf;
    if (leaf === undefined) throw new Error("no lane");
    expect(spawnLimit(tight, state.facts, state.progress, "g.y", leaf)).toEqual({
      reason: "max_spawns",
      detail: "limits.spawns is 3",
    });
  });

  it("begin no deeper than limits.depth", async () => {
    const top = loop("depth: 1", "middle");
    expect((await starts(top)).begun).toBe(9);
    const [middle] = top.children;
    if (middle === undefined) throw new Error("no child");
    expect(await starts(middle)).toEqual({ begun: 0, reason: "dispatch_depth", spawned: 0 });
  });
});

/** The state after `run.created`, `run.started` and these. */
function fold(plan: Plan, ...facts: readonly Fact[]): RunningState {
  const all: readonly Fact[] = [{ type: "run.started" }, ...facts];
  const end = all.reduce<RunState>(
    (state, fact, index) => evolve(plan, state, { ...fact, at: index + 1001 } as RunEvent),
    beginState(created),
  );
  if (end.status !== "running") throw new Error(`it is ${end.status}`);
  return end;
}
