import { describe, expect, test } from "vitest";
import { planOf } from "../../../../test/support/plans/plan-bench.ts";
import type { JsonValue } from "../../../base/json.ts";
import { type PlanPowers, readExecutionPlan } from "./read-plan.ts";

const POWERS: PlanPowers = {
  tools: new Set(["echo", "skill__tidy_up"]),
  steps: 10,
  parent: null,
  done: new Set(),
  plans: new Set(),
};
const read = (source: JsonValue, powers: Partial<PlanPowers> = {}) =>
  readExecutionPlan(source, { ...POWERS, ...powers });
const problems = (source: JsonValue, powers: Partial<PlanPowers> = {}): readonly string[] => {
  const result = read(source, powers);
  return result.ok ? [] : result.problems.map(({ data }) => `${data["at"]} ${data["problem"]}`);
};

describe("a plan that was made at run time", () => {
  test("P1: is read with every key it may have", () => {
    const source = {
      id: "p-1",
      assistant_id: "helper",
      reasoning: "first look, then tidy",
      steps: [
        {
          step_id: "look",
          name: "echo",
          type: "tool",
          arguments: { path: "a" },
          timeout_ms: 500,
          expected_output: "a list",
          output_schema: { type: "object" },
          parallelizable: true,
          parallel_group: "g",
          risk_level: "info",
        },
        { name: "tidy-up", type: "skill", arguments: { seen: "{{look.path}}" } },
      ],
    };
    const plan = read(source);
    expect(
      plan.ok && {
        ...plan.value,
        steps: plan.value.steps.map(({ output, ...step }) => ({ ...step, output: output !== null })),
      },
    ).toEqual({
      id: "p-1",
      parentId: null,
      assistantId: "helper",
      reasoning: "first look, then tidy",
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      steps: [
        {
          ...{ id: "look", name: "echo", type: "tool", tool: "echo", timeoutMs: 500, expected: "a list" },
          ...{ arguments: { map: [["path", { lit: "a" }]] }, output: true, group: "g", risk: "info" },
        },
        {
          ...{ id: "step-2", name: "tidy-up", type: "skill", tool: "skill__tidy_up", timeoutMs: null, expected: null },
          ...{ arguments: { map: [["seen", { ref: ["look", "path"] }]] }, output: false, group: null, risk: null },
        },
      ],
    });
  });

  test("P1: is refused as a whole, with every problem", () => {
    const bad: readonly (readonly [JsonValue, readonly string[]])[] = [
      [null, ["the plan is no object"]],
      [{ assistant_id: "a", steps: [] }, ["steps has no step"]],
      [{ steps: [{ name: "echo", type: "tool" }] }, ["assistant_id is missing"]],
      [
        planOf({ name: "" }),
        [
          "steps[0].name must be text that is not empty",
          'steps[0].name is "", which is not among the tools of its parent',
        ],
      ],
      [planOf({ type: "llm" }), ["steps[0].type must be one of skill, tool"]],
      [planOf({ name: "rm" }), ['steps[0].name is "rm", which is not among the tools of its parent']],
      [planOf({ name: "rm", type: "skill" }), ['steps[0].name is "rm", which is not among the skills of its parent']],
      [planOf({ arguments: [] }), ["steps[0].arguments is no object"]],
      [planOf({ argument: {} }), ['steps[0] has the key "argument", which is not known']],
      [{ ...planOf({}), budget: 1 }, ['the plan has the key "budget", which is not known']],
      [planOf({ step_id: "a" }, { step_id: "a" }), ['steps[1].step_id is "a", which an earlier step has']],
      [planOf({ timeout_ms: 0 }), ["steps[0].timeout_ms must be a whole number from 1 to 600000"]],
      [
        planOf({ output_schema: { typ: "x" } }),
        ["steps[0].output_schema is no schema that can be used: #: typ is a keyword that is not known"],
      ],
      [planOf({ risk_level: "tiny" }), ["steps[0].risk_level must be one of info, sensitive, clinical, critical"]],
      [planOf({ parallelizable: "yes" }), ["steps[0].parallelizable must be true or false"]],
      [{ assistant_id: "a", steps: ["x"] }, ["steps[0] is no object"]],
      [{ ...planOf({}), parent_id: "other" }, ["parent_id is not the plan that this one takes the place of"]],
      [{ ...planOf({}), reasoning: "x".repeat(300_000) }, ["the plan has more than 262144 characters"]],
    ];
    for (const [source, expected] of bad) expect(problems(source)).toEqual(expected);
    expect(problems({ ...planOf({}), id: "old" }, { plans: new Set(["old"]) })).toEqual([
      'id is "old", which an earlier plan has',
    ]);
  });

  test("P1: can use one tool twice: a step is known by its id, not by what it calls", () => {
    const plan = read(planOf({ arguments: { a: 1 } }, { arguments: { a: 2 } }));
    expect(plan.ok && plan.value.steps.map(({ id, tool }) => [id, tool])).toEqual([
      ["step-1", "echo"],
      ["step-2", "echo"],
    ]);
  });

  test("P2: is frozen, and made of a copy", () => {
    const source = planOf({ arguments: { list: [1, { deep: true }] } });
    const plan = read(source);
    if (!plan.ok) throw new Error("it is valid");
    const step = plan.value.steps[0] as { name: string };
    expect(() => {
      step.name = "rm";
    }).toThrow(TypeError);
    expect(() => (plan.value.steps as unknown[]).push(1)).toThrow(TypeError);
    const list = (source["steps"] as unknown as { arguments: { list: unknown[] } }[])[0]?.arguments.list;
    list?.push("later");
    expect(plan.value.steps[0]?.arguments).toEqual({
      map: [["list", { list: [{ lit: 1 }, { map: [["deep", { lit: true }]] }] }]],
    });
  });

  test("P3: has at most ten steps", () => {
    const steps = Array.from({ length: 11 }, () => ({}));
    expect(problems(planOf(...steps))).toEqual(["steps has 11 steps, and may have 10"]);
    expect(read(planOf(...steps.slice(1))).ok).toBe(true);
  });

  test("K18: refers only to steps that come before, and not to its neighbours of a group", () => {
    expect(problems(planOf({ arguments: { a: "{{step-2}}" } }, {}))).toEqual([
      'steps[0].arguments.a refers to "step-2", and no step of this name comes before',
    ]);
    const group = { parallelizable: true, parallel_group: "g" };
    expect(problems(planOf(group, { ...group, arguments: { a: ["x {{step-1}}"] } }))).toEqual([
      'steps[1].arguments.a[0] refers to "step-1", and no step of this name comes before',
    ]);
    expect(
      problems(planOf({}, { ...group, arguments: { a: "{{step-1}}" } }, group, { arguments: { a: "{{ step-3 }}" } })),
    ).toEqual([]);
    expect(problems(planOf({ arguments: { a: "{{before.x}}" } }), { done: new Set(["before"]) })).toEqual([]);
  });

  test("K18: braces that are no reference are refused, and can be written", () => {
    expect(problems(planOf({ arguments: { a: "{{ not a name }}" } }))).toHaveLength(1);
    expect(problems(planOf({ arguments: { a: "{{ open" } }))).toHaveLength(1);
    const plan = read(planOf({ arguments: { a: "\\{{x}} and \\{{" } }));
    expect(plan.ok && plan.value.steps[0]?.arguments).toEqual({ map: [["a", { text: ["{{", "x}} and ", "{{"] }]] });
  });

  test("P11: is the same plan when only its words differ, and another one with other arguments", () => {
    const print = (source: JsonValue): string => {
      const plan = read(source);
      return plan.ok ? plan.value.fingerprint : "";
    };
    const one = print(planOf({ arguments: { a: 1 } }));
    expect(print({ ...planOf({ arguments: { a: 1 }, step_id: "z", expected_output: "w" }), reasoning: "again" })).toBe(
      one,
    );
    expect(print(planOf({ arguments: { a: 2 } }))).not.toBe(one);
  });
});
