import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
import type { RunId } from "../base/ids.ts";
import type { Plan } from "../plan/plan.ts";
import type { Fact, RunEvent } from "./events.ts";
import { beginState, evolve } from "./evolve.ts";
import type { RunState } from "./state.ts";

const PLAN = planFrom(
  "stages:\n  - { id: a, command: [ok], effect: once, max_attempts: 2 }\n  - { id: p, group: { parallel: [ { id: x, command: [ok] } ] } }\n",
);

function fold(plan: Plan, ...facts: Fact[]): RunState {
  const created = {
    type: "run.created",
    at: 1,
    run: "r_1" as RunId,
    blueprint: "test",
    plan: plan.fingerprint,
    params: {},
  } as const;
  return facts.reduce<RunState>(
    (state, fact, index) => evolve(plan, state, { ...fact, at: index + 2 } as RunEvent),
    beginState(created),
  );
}

const STARTED: Fact = { type: "run.started" };

describe("evolve", () => {
  it("throws what the transition table forbids", () => {
    expect(() => fold(PLAN, { type: "run.paused", by: "x" })).toThrow(
      "a run that is queued cannot have the event run.paused",
    );
  });

  it("throws for a stage or a group that the plan does not have", () => {
    const start = (stage: string): Fact => ({ type: "stage.started", stage, visit: 1, attempt: 1, rule: "r" });
    expect(() => fold(PLAN, STARTED, start("nobody"))).toThrow('has no stage "nobody"');
    expect(() => fold(PLAN, STARTED, start("p"))).toThrow('"p" is a group, not a leaf stage');
    expect(() => fold(PLAN, STARTED, { type: "group.opened", stage: "a", visit: 1, members: 1 })).toThrow(
      '"a" is not a group',
    );
    expect(() => fold(PLAN, STARTED, { type: "group.opened", stage: "p", visit: 1, members: 9 })).toThrow(
      'group "p" has no member 1',
    );
  });

  it("fails a run whose stage ends in a way the plan does not know", () => {
    const begun: Fact = { type: "stage.started", stage: "a", visit: 1, attempt: 1, rule: "r" };
    const odd: Fact = { type: "stage.finished", stage: "a", attempt: 1, outcome: "escalate", cause: "exit" };
    expect(fold(PLAN, STARTED, begun, odd)).toMatchObject({ progress: { cursor: { end: "fail" } } });
  });

  it("goes on with what a gate has passed, and with nothing that one has failed", () => {
    const gated = planFrom("stages:\n  - { id: g, gate: { command: [ok] } }\n");
    const begun: Fact = { type: "stage.started", stage: "g", visit: 1, attempt: 1, rule: "r" };
    const judged = (outcome: string): RunState =>
      fold(gated, STARTED, begun, {
        type: "stage.finished",
        stage: "g",
        attempt: 1,
        outcome,
        cause: "exit",
        tree: "left",
      });
    expect(judged("pass").facts.tree).toBe("left");
    expect(judged("fail").facts.tree).toBeNull();
  });

  it("keeps nothing of a group that closes without having been opened", () => {
    expect(() => fold(PLAN, STARTED, { type: "group.closed", stage: "p", outcome: "success" })).toThrow(
      'has no stage ""',
    );
  });
});

describe("answers about a lost attempt", () => {
  async function lost(
    script: Script = {},
    yaml = "stages:\n  - { id: a, command: [ok], effect: once, max_attempts: 2 }\n",
  ) {
    const plan = planFrom(yaml);
    const host = createTestHost(plan, { stages: { a: ["hang"] } });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { ...script, store: host.store });
    await next.resume();
    const asked = (await next.events()).find((event) => event.type === "approval.requested");
    if (asked?.type !== "approval.requested") throw new Error("nothing was asked");
    const answer = (word: string): readonly Fact[] => [
      { type: "approval.answered", stage: "a", id: asked.id, digest: asked.digest, answer: word, by: "ann" },
      { type: "run.resumed", after: "wait" },
    ];
    return { next, asked, answer };
  }

  it("repeats it on again", async () => {
    const { next, answer } = await lost();
    expect(await next.resume(answer("again"))).toMatchObject({ state: { status: "succeeded" } });
    expect(next.executed.map((request) => request.attempt)).toEqual([2]);
  });

  it("takes it as done on done, with what it left in the workspace", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], effect: once }\n");
    const host = createTestHost(plan, { stages: { a: ["hang"] }, work: (_, files) => files.set("half", "done") });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { store: host.store });
    await next.resume();
    const asked = (await next.events()).find((event) => event.type === "approval.requested");
    if (asked?.type !== "approval.requested") throw new Error("nothing was asked");
    const end = await next.resume([
      { type: "approval.answered", stage: "a", id: asked.id, digest: asked.digest, answer: "done", by: "ann" },
      { type: "run.resumed", after: "wait" },
    ]);
    const tree = end.lost ? null : end.state.facts.tree;
    expect(next.workspaces.tree(tree ?? "")?.get("half")).toBe("done");
  });

  it("takes it as done on done", async () => {
    const { next, answer } = await lost();
    expect(await next.resume(answer("done"))).toMatchObject({ state: { status: "succeeded" } });
    expect(next.executed).toEqual([]);
  });

  it("takes it as failed on failed, which leaves the attempts that are left", async () => {
    const { next, answer } = await lost();
    expect(await next.resume(answer("failed"))).toMatchObject({ state: { status: "succeeded" } });
    expect(next.executed.map((request) => request.attempt)).toEqual([2]);
  });

  it("does not let a person pass a gate", async () => {
    const { asked } = await lost({}, "stages:\n  - { id: a, gate: { command: [ok] }, effect: once }\n");
    expect(asked.answers).toEqual(["again", "failed"]);
  });
});
