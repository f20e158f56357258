import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { fingerprint } from "../../plan/fingerprint.ts";
import type { Plan } from "../../plan/plan.ts";
import { drillPlan } from "./drill-plan.ts";

const CHILD = 'stages: [{ id: c, gate: { command: ["ok"] } }]\n';
const routes = (plan: Plan | null) => plan?.stages.map(({ id, kind, routes: to }) => [id, kind, to]);

describe("the plan of a drill", () => {
  it("is the gates of the plan in order, each with the next, and nothing else", () => {
    const plan = planFrom(`
params: { test: { default: [ok, test] } }
limits: { rounds: 3 }
stages:
  - { id: make, command: [ok] }
  - { id: check, gate: { command: "\${params.test}" }, on: { fail: make } }
  - id: both
    group: { parallel: [{ id: lint, gate: { command: [ok] } }, { id: work, command: [ok] }] }
  - { id: change, gate: { change: { max_files: 3 } } }
  - { id: ask, gate: { approval: { question: "Well?" } } }
`);
    const made = drillPlan(plan);
    const fail = { end: "fail" };
    const escalate = { end: "escalate" };
    expect(routes(made.plan)).toEqual([
      ["check", "gate", { pass: { to: "both-lint", back: false }, fail, escalate }],
      ["both-lint", "gate", { pass: { to: "change", back: false }, fail, escalate }],
      ["change", "inspection", { pass: { end: "done" }, empty: { end: "done" }, fail, escalate }],
    ]);
    expect(made).toMatchObject({ relaxed: null, untried: [], approvals: ["ask"] });
    const { plan: drilled } = made as { plan: Plan };
    expect(drilled).toMatchObject({
      name: plan.name,
      level: "L1",
      start: "check",
      children: [],
      protect: plan.protect,
    });
    expect(drilled.fingerprint).toBe(fingerprint(drilled));
    expect(drilled.bound.stages).toBe(3);
  });

  it("asks for no more than that nothing gets worse, where that is needed", () => {
    const made = drillPlan(
      planFrom(`
stages:
  - { id: tests, gate: { tests: { command: [ok], must: improve } } }
  - { id: speed, gate: { metric: { command: [ok], regex: "(\\\\d+)", direction: lower, must: improve } } }
  - { id: plain, gate: { command: [ok] } }
  - { id: change, gate: { change: { max_files: 3 } } }
`),
    );
    const musts = (plan: Plan | null) =>
      plan?.stages.map((stage) => (stage.kind === "gate" && "must" in stage.judge ? stage.judge.must : null));
    expect(musts(made.plan)).toEqual(["improve", "improve", null, null]);
    expect(musts(made.relaxed)).toEqual(["no_regress", "no_regress", null, null]);
  });

  it("leaves out gates that need the work before them, and those of children", () => {
    const made = drillPlan(
      planFrom(
        `
stages:
  - { id: make, command: [ok], outputs: { note: out.txt } }
  - { id: first, gate: { command: [ok] } }
  - { id: after, gate: { command: [ok, "\${stages.first.outcome}"] } }
  - { id: needs, gate: { command: [ok, "\${stages.make.outcome}"] } }
  - { id: reads, gate: { command: [ok] }, inputs: [make.note] }
  - { id: child, run: { blueprint: ./c.yaml } }
`,
        { children: { "c.yaml": CHILD } },
      ),
    );
    expect(made.plan?.stages.map(({ id }) => id)).toEqual(["first", "after"]);
    expect(made.untried).toEqual([
      { what: "needs", why: "it needs stages.make.outcome, which is not there without the work before it" },
      { what: "reads", why: "it needs make.note, which is not there without the work before it" },
      { what: "child", why: "the gates of a child run are those of another blueprint" },
    ]);
  });

  it("is judged at L3 where a gate decides about merging, and is none without a gate", () => {
    const merge = 'stages: [{ id: merge, gate: { merge: { allow: ["src/**"] } } }]';
    expect(drillPlan(planFrom(merge)).plan?.level).toBe("L3");
    expect(drillPlan(planFrom("stages: [{ id: make, command: [ok] }]")).plan).toBeNull();
  });

  it("is nobody's plan: a drill does not show in the files of another system", () => {
    const origin = { door: "openexec", path: "a.yaml" } as const;
    const plan = { ...planFrom("stages: [{ id: check, gate: { command: [ok] } }]"), origin };
    expect(drillPlan(plan).plan).not.toHaveProperty("origin");
  });
});
