import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
import type { Level } from "../blueprint/blueprint.ts";

async function played(yaml: string, script: Script = {}, level: Level = "L1") {
  const host = createTestHost(planFrom(yaml, { level }), script);
  const end = await host.start();
  if (end.lost) throw new Error("lost");
  const order = (await host.events()).flatMap((event) => (event.type === "stage.started" ? [event.stage] : []));
  return { host, order, state: end.state };
}

const FAIL = { cause: "exit", exit: 1 } as const;

describe("routing", () => {
  it("goes through the stages in order and ends", async () => {
    const { order, state } = await played("stages:\n  - { id: a, command: [ok] }\n  - { id: b, command: [ok] }\n");
    expect(order).toEqual(["a", "b"]);
    expect(state).toMatchObject({ status: "succeeded", reason: "reported" });
  });

  it("retries, then passes", async () => {
    const { order, state } = await played("stages:\n  - { id: a, command: [ok], max_attempts: 3 }\n", {
      stages: { a: [FAIL, FAIL, {}] },
    });
    expect(order).toEqual(["a", "a", "a"]);
    expect(state.status).toBe("succeeded");
  });

  it("follows on_failure when the attempts are used up, and recovers", async () => {
    const yaml =
      "stages:\n  - { id: a, command: [ok], max_attempts: 2, on_failure: c }\n  - { id: b, command: [ok], on_success: done }\n  - { id: c, command: [ok] }\n";
    const { order, state } = await played(yaml, { stages: { a: [FAIL] } });
    expect(order).toEqual(["a", "a", "c"]);
    expect(state.status).toBe("succeeded");
  });

  it("fails the run when nothing is declared for a failure, and never falls through to the next stage", async () => {
    const { order, state } = await played("stages:\n  - { id: a, command: [ok] }\n  - { id: b, command: [ok] }\n", {
      stages: { a: [FAIL] },
    });
    expect(order).toEqual(["a"]);
    expect(state).toMatchObject({ status: "failed", reason: "stage_failed", detail: "a: exit" });
  });

  it("counts a round for every edge back, and stops at the limit", async () => {
    const yaml =
      "limits: { rounds: 3 }\nstages:\n  - { id: a, command: [ok] }\n  - { id: b, command: [ok], on_failure: a }\n";
    const { order, state } = await played(yaml, { stages: { b: [FAIL] } });
    expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
    expect(state).toMatchObject({ status: "blocked", reason: "max_rounds" });
  });

  it("stops a stage that was visited too often", async () => {
    const yaml =
      "stages:\n  - { id: lint, command: [ok], max_visits: 3, on_failure: fix }\n  - { id: fix, command: [ok], on_success: lint }\n";
    const { order, state } = await played(yaml, { stages: { lint: [FAIL] } });
    expect(order).toEqual(["lint", "fix", "lint", "fix", "lint", "fix"]);
    expect(state).toMatchObject({ status: "blocked", reason: "max_visits", detail: '"lint" was visited 3 times' });
  });

  it("stops before one stage too many", async () => {
    const { order, state } = await played(
      "limits: { stages: 2 }\nstages:\n  - { id: a, command: [ok], max_attempts: 9 }\n",
      { stages: { a: [FAIL] } },
    );
    expect(order).toEqual(["a", "a"]);
    expect(state).toMatchObject({ status: "blocked", reason: "max_stages" });
  });

  it("does not go round for ever on stages that cannot begin or have nothing to do", async () => {
    const refused =
      'limits: { stages: 5, stagnation: { same_failure: 9 } }\nstages:\n  - { id: a, command: [ok], capture: text, on_failure: b }\n  - { id: b, command: [ok, "${stages.a.output}"], on_failure: b }\n';
    expect((await played(refused, { stages: { a: [FAIL] } })).state).toMatchObject({
      status: "blocked",
      reason: "max_stages",
    });
    const empty =
      'params: { list: { default: [] } }\nlimits: { stages: 5, stagnation: { repeats: 9 } }\nstages:\n  - { id: f, group: { for_each: "${params.list}", stage: { command: [ok] } }, on_success: f }\n';
    expect((await played(empty)).state).toMatchObject({ status: "blocked", reason: "max_stages" });
  });

  it("rests where a route says paused, then tries what failed again and goes on after what succeeded", async () => {
    const plan = planFrom(
      "limits: { rounds: 5 }\nstages:\n  - { id: a, command: [ok], on_success: paused, on_failure: paused }\n  - { id: b, command: [ok] }\n",
    );
    const host = createTestHost(plan, { stages: { a: [FAIL] } });
    expect(await host.start()).toMatchObject({ state: { status: "paused", by: "route" } });
    const better = createTestHost(plan, { store: host.store });
    expect(await better.resume([{ type: "run.resumed", after: "pause" }])).toMatchObject({
      state: { status: "paused" },
    });
    expect(await better.resume([{ type: "run.resumed", after: "pause" }])).toMatchObject({
      state: { status: "succeeded" },
    });
    expect(better.executed.map((request) => request.stage)).toEqual(["a", "b"]);
  });
});

describe("gates", () => {
  const GATE = "stages:\n  - { id: g, gate: { command: [ok], escalate: [2] } }\n";

  it("makes a success of a pass, and only of a pass", async () => {
    expect((await played(GATE)).state).toMatchObject({ status: "succeeded", reason: "goal_achieved" });
    expect((await played(GATE, { stages: { g: [FAIL] } })).state).toMatchObject({
      status: "failed",
      reason: "stage_failed",
    });
  });

  it("hands an escalation to a person, without another try", async () => {
    const { state, order } = await played(
      "stages:\n  - { id: g, gate: { command: [ok], escalate: [2] }, max_attempts: 3 }\n",
      {
        stages: { g: [{ cause: "exit", exit: 2, error: "look at this" }] },
      },
    );
    expect(state).toMatchObject({ status: "blocked", reason: "escalated", detail: "g" });
    expect(order).toEqual(["g"]);
  });

  it("does not call done what a gate has failed, whatever the route says", async () => {
    const { state } = await played("stages:\n  - { id: g, gate: { command: [ok] }, on_failure: done }\n", {
      stages: { g: [FAIL] },
    });
    expect(state).toMatchObject({ status: "failed", reason: "unverified" });
  });

  it("fails a gate that cannot even begin", async () => {
    const yaml =
      'stages:\n  - { id: a, command: [ok], capture: text, on_failure: g }\n  - { id: g, gate: { command: [ok, "${stages.a.output}"] } }\n';
    const { state } = await played(yaml, { stages: { a: [FAIL] } });
    expect(state).toMatchObject({ status: "failed", detail: "g: ${stages.a.output} has no value" });
  });

  it("needs a verdict above L1", async () => {
    expect((await played("stages:\n  - { id: a, command: [ok] }\n", {}, "L2")).state).toMatchObject({
      status: "failed",
      reason: "unverified",
    });
  });

  it("ends as designed where the level cuts the way", async () => {
    const yaml = "stages:\n  - { id: g, gate: { command: [ok] } }\n  - { id: merge, command: [ok], level: L3 }\n";
    expect((await played(yaml)).state).toMatchObject({
      status: "succeeded",
      reason: "reported",
      detail: 'the level ends before "merge"',
    });
    expect((await played(yaml, {}, "L2")).state).toMatchObject({ status: "succeeded", reason: "proposed" });
    expect((await played(yaml, {}, "L3")).state).toMatchObject({ status: "succeeded", reason: "goal_achieved" });
  });
});

describe("how a run fails", () => {
  it("has the reason of the cause", async () => {
    const yaml = "stages:\n  - { id: a, command: [ok] }\n";
    for (const [cause, reason] of [
      ["stall", "stall"],
      ["oom", "oom"],
      ["resource", "resource_exhausted"],
      ["signal", "stage_failed"],
    ] as const) {
      expect((await played(yaml, { stages: { a: [{ cause }] } })).state).toMatchObject({ status: "failed", reason });
    }
  });

  it("fails by route even when nothing failed", async () => {
    expect((await played("stages:\n  - { id: a, command: [ok], on_success: fail }\n")).state).toMatchObject({
      status: "failed",
      reason: "stage_failed",
    });
  });

  it("blocks after too many failures in a row", async () => {
    const { state } = await played(
      "limits: { consecutive_failures: 2 }\nstages:\n  - { id: a, command: [ok], max_attempts: 5 }\n",
      { stages: { a: [FAIL] } },
    );
    expect(state).toMatchObject({ status: "blocked", reason: "consecutive_failures" });
  });
});

describe("a once stage", () => {
  it("is not tried again unasked when it was cut off, and is when it failed by itself", async () => {
    const yaml = "stages:\n  - { id: a, command: [ok], effect: once, max_attempts: 2 }\n";
    for (const cause of ["timeout", "stall", "signal", "oom", "invalid_output"] as const) {
      const { order, state } = await played(yaml, { stages: { a: [{ cause }] } });
      expect([order, state.status], cause).toEqual([["a"], "waiting"]);
    }
    expect((await played(yaml, { stages: { a: [FAIL, {}] } })).order).toEqual(["a", "a"]);
  });
});

describe("the run clock", () => {
  it("stands still while the run waits for a person", async () => {
    const plan = planFrom("limits: { wall: 2s }\nstages:\n  - { id: a, command: [ask] }\n");
    const host = createTestHost(plan);
    await host.start();
    const asked = (await host.events()).find((event) => event.type === "approval.requested");
    host.clock.after(3_600_000, () => {});
    host.clock.advance();
    const digest = asked?.type === "approval.requested" ? asked.digest : "";
    const end = await host.resume([
      { type: "approval.answered", stage: "a", id: "", digest, answer: "approve", by: "ann" },
      { type: "run.resumed", after: "wait" },
    ]);
    expect(end).toMatchObject({ state: { status: "succeeded" } });
  });
});

describe("how a run fails, when it had recovered", () => {
  it("does not blame a failure that was dealt with", async () => {
    const yaml =
      "stages:\n  - { id: a, command: [ok], on_failure: b }\n  - { id: b, command: [ok], on_success: fail }\n";
    expect((await played(yaml, { stages: { a: [{ cause: "stall" }] } })).state).toMatchObject({
      reason: "stage_failed",
    });
  });
});

describe("groups", () => {
  const PARALLEL =
    "stages:\n  - id: p\n    group: { parallel: [ { id: x, command: [ok] }, { id: y, command: [ok] } ], max_parallel: 2 }\n    on_failure: after\n  - { id: after, command: [ok] }\n";

  it("C3: runs its members side by side and goes on when all are done", async () => {
    const { order, state } = await played(PARALLEL);
    expect(order).toEqual(["p.x", "p.y", "after"]);
    expect(state.status).toBe("succeeded");
  });

  it("fails when a member failed, after all have ended", async () => {
    const { host } = await played(PARALLEL, { stages: { "p.x": [FAIL] } });
    expect((await host.events()).find((event) => event.type === "group.closed")).toMatchObject({
      stage: "p",
      outcome: "failure",
    });
    expect(host.executed.map((request) => request.stage)).toEqual(["p.x", "p.y", "after"]);
  });

  it("starts no further member after a failure when it fails fast", async () => {
    const yaml =
      "stages:\n  - id: p\n    group: { for_each: [1, 2, 3], stage: { command: [ok] }, max_parallel: 1, fail_fast: true }\n";
    const { order, state } = await played(yaml, { stages: { "p[1]": [FAIL] } });
    expect(order).toEqual(["p[0]", "p[1]"]);
    expect(state.status).toBe("failed");
  });

  it("keeps the results of a fan-out in the order of its items", async () => {
    const yaml = `
stages:
  - id: fan
    group: { for_each: [a, b, c], stage: { command: [ok, "\${item}", "\${index}"], capture: text }, max_parallel: 3 }
  - { id: use, command: [ok, "\${stages.fan.output}"] }
`;
    const script = {
      stages: { "fan[0]": [{ output: "A" }], "fan[1]": [{ output: "B" }], "fan[2]": [{ output: "C" }] },
    };
    const { host } = await played(yaml, script);
    expect(host.executed.map((request) => request.argv)).toEqual([
      ["ok", "a", "0"],
      ["ok", "b", "1"],
      ["ok", "c", "2"],
      ["ok", '["A","B","C"]'],
    ]);
  });

  it("refuses a fan-out over what is not a list, is too long, or has no value", async () => {
    const over = (list: string, first = "{}") =>
      played(
        `stages:\n  - { id: a, command: [ok], capture: json, on_failure: f }\n  - { id: f, group: { for_each: "${list}", stage: { command: [ok] }, max_items: 2 } }\n`,
        {
          stages: { a: [JSON.parse(first)] },
        },
      );
    const refused = async (run: ReturnType<typeof over>) =>
      (await (await run).host.events()).find((event) => event.type === "stage.refused");
    expect(await refused(over("${stages.a.output}", '{"output": "x"}'))).toMatchObject({
      error: "for_each is not a list",
    });
    expect(await refused(over("${stages.a.output}", '{"output": [1, 2, 3]}'))).toMatchObject({
      error: "for_each has 3 items and max_items is 2",
    });
    expect(await refused(over("${stages.a.output}", '{"cause": "exit"}'))).toMatchObject({
      error: "${stages.a.output} has no value",
    });
    const { state } = await over("${stages.a.output}", '{"output": "x"}');
    expect(state).toMatchObject({ status: "failed", detail: "f: for_each is not a list" });
  });

  it("opens and closes over an empty list", async () => {
    const { order, state } = await played(
      'params: { list: { default: [] } }\nstages:\n  - { id: f, group: { for_each: "${params.list}", stage: { command: [ok] } } }\n',
    );
    expect(order).toEqual([]);
    expect(state.status).toBe("succeeded");
  });

  it("waits for the backoff of a member while others run", async () => {
    const yaml =
      "limits: { wall: 1h }\nstages:\n  - id: p\n    group: { parallel: [ { id: x, command: [ok], max_attempts: 2, backoff: 5s }, { id: y, command: [ok], max_attempts: 2, backoff: 1s } ] }\n";
    const { order } = await played(yaml, { stages: { "p.x": [FAIL, {}], "p.y": [FAIL, {}] } });
    expect(order).toEqual(["p.x", "p.y", "p.y", "p.x"]);
  });

  it("does not wait for an answer about a member it will not start, when it fails fast", async () => {
    const yaml =
      "stages:\n  - id: p\n    group: { parallel: [ { id: x, command: [ask] }, { id: y, command: [ok] } ], fail_fast: true }\n";
    expect((await played(yaml, { stages: { "p.y": [FAIL] } })).state).toMatchObject({ status: "failed" });
  });

  it("waits for its other members before it asks a person", async () => {
    const yaml =
      "stages:\n  - id: p\n    group: { parallel: [ { id: x, command: [ask] }, { id: y, command: [ok] } ] }\n";
    const { host, state } = await played(yaml);
    expect(state.status).toBe("waiting");
    expect((await host.types()).slice(-3)).toEqual(["stage.started", "stage.finished", "run.waiting"]);
  });
});

describe("budgets", () => {
  it("reserves the most an action may cost before it starts", async () => {
    const yaml = (limit: string) =>
      `limits: { ${limit} }\nstages:\n  - { id: a, action: test.work }\n  - { id: b, action: test.work }\n`;
    const action = async () => ({ ok: true, usage: { tokens: 10, microUsd: 100 } }) as const;
    expect((await played(yaml("tokens: 19"), { action })).order).toEqual(["a"]);
    expect((await played(yaml("tokens: 20"), { action })).order).toEqual(["a", "b"]);
    expect((await played(yaml("usd: 0.00015"), { action })).state).toMatchObject({
      status: "rejected",
      reason: "budget_exhausted",
    });
  });

  it("charges what an action may cost when it does not say, and when it was lost", async () => {
    const yaml =
      "limits: { tokens: 19 }\nstages:\n  - { id: a, action: test.work }\n  - { id: b, action: test.work }\n";
    expect((await played(yaml)).order).toEqual(["a"]);
    const plan = planFrom("limits: { tokens: 19 }\nstages:\n  - { id: a, action: test.work }\n");
    const host = createTestHost(plan, {
      action: () => {
        host.inbox.fail("killed");
        return new Promise(() => {});
      },
    });
    await expect(host.start()).rejects.toBe("killed");
    const next = createTestHost(plan, { store: host.store });
    expect(await next.resume()).toMatchObject({ state: { status: "rejected", reason: "budget_exhausted" } });
  });

  it("reserves the worst case of a child run", async () => {
    const children = {
      "child.yaml":
        "version: 1\nname: child\npolicy: { allow: [ { action: test.work } ] }\nstages: [ { id: c, action: test.work, max_attempts: 2 } ]\n",
    };
    const plan = planFrom("limits: { tokens: 19 }\nstages:\n  - { id: r, run: { blueprint: ./child.yaml } }\n", {
      children,
    });
    expect(await createTestHost(plan).start()).toMatchObject({
      state: { status: "rejected", reason: "budget_exhausted" },
    });
  });

  it("counts what the members under way may still spend", async () => {
    const yaml =
      "limits: { tokens: 15 }\nstages:\n  - id: p\n    group: { parallel: [ { id: x, action: test.work }, { id: y, action: test.work } ] }\n";
    expect((await played(yaml)).order).toEqual(["p.x"]);
  });
});
