import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RunEvent } from "../events.ts";
import { outlayOf } from "./run-cost.ts";

const WORK = planFrom(`
stages:
  - { id: think, action: test.work, max_attempts: 3 }
  - { id: merge, action: test.work }
  - { id: look, command: [ok] }
`);
const PLAN: Plan = {
  ...WORK,
  stages: WORK.stages.map((stage) =>
    stage.kind === "action" && stage.id === "merge" ? { ...stage, action: "git.merge" } : stage,
  ),
};

const created: RunEvent = {
  type: "run.created",
  at: 1,
  run: "r_1",
  blueprint: "test",
  plan: PLAN.fingerprint,
  params: {},
};
const begun = (stage: string, attempt = 1): RunEvent => ({
  type: "stage.started",
  at: 2,
  stage,
  visit: 1,
  attempt,
  rule: "r",
});
const done = (stage: string, end: object = {}): RunEvent => ({
  type: "stage.finished",
  at: 3,
  stage,
  attempt: 1,
  outcome: "success",
  cause: "ok",
  ...end,
});

/** Lost: 10 tokens. Failed: 3. Succeeded without a word about its cost: 10. */
const THINKING: readonly RunEvent[] = [
  created,
  { type: "run.started", at: 1 },
  begun("think"),
  { type: "stage.interrupted", at: 2, stage: "think", attempt: 1 },
  begun("think", 2),
  done("think", { attempt: 2, outcome: "failure", cause: "exit", usage: { tokens: 3, microUsd: 30 } }),
  begun("think", 3),
  done("think", { attempt: 3 }),
];
const MERGING: readonly RunEvent[] = [
  begun("merge"),
  done("merge", { usage: { tokens: 1, microUsd: 5 } }),
  begun("look"),
  done("look", { child: "r_2" }),
];

describe("what a run has cost", () => {
  it("counts every attempt once: a lost one, and one that says nothing, at what they may have spent", () => {
    expect(outlayOf(PLAN, THINKING)).toEqual({ usage: { tokens: 23, microUsd: 230 }, merged: 0, children: [] });
  });

  it("tells the changes that were merged, and the runs that were started", () => {
    expect(outlayOf(PLAN, [...THINKING, ...MERGING])).toEqual({
      usage: { tokens: 24, microUsd: 235 },
      merged: 1,
      children: ["r_2"],
    });
    const refused = [begun("merge"), done("merge", { outcome: "failure", cause: "exit" })];
    expect(outlayOf(PLAN, [...THINKING, ...refused]).merged).toBe(0);
  });

  it("leaves to another run what a fork retells of it", () => {
    const fork: RunEvent = { type: "run.resumed", at: 4, after: "interruption", fork: "r_1" };
    expect(outlayOf(PLAN, [...THINKING, fork, ...MERGING])).toEqual({
      usage: { tokens: 1, microUsd: 5 },
      merged: 1,
      children: ["r_2"],
    });
    expect(outlayOf(PLAN, [...THINKING, ...MERGING.slice(0, 2), fork, ...MERGING.slice(2)])).toMatchObject({
      usage: { tokens: 0, microUsd: 0 },
      merged: 0,
    });
    const resumed: RunEvent = { type: "run.resumed", at: 4, after: "interruption" };
    expect(outlayOf(PLAN, [...THINKING, resumed]).usage.tokens).toBe(23);
  });

  it("takes nothing for a journal that does not begin with its run", () => {
    expect(() => outlayOf(PLAN, [])).toThrow("begins with nothing");
    expect(() => outlayOf(PLAN, THINKING.slice(1))).toThrow("begins with run.started");
  });
});
