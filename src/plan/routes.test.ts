import { describe, expect, test } from "vitest";
import {
  action,
  blueprint,
  codesOf,
  command,
  gate,
  group,
  planOf,
  problemsOf,
  ref,
  run,
} from "../../test/support/blueprint-builder.ts";
import type { Plan } from "./plan.ts";
import { cutStages } from "./routes.ts";

function routesOf(plan: Plan) {
  return Object.fromEntries(plan.stages.map((stage) => [stage.id, stage.routes]));
}

describe("routes", () => {
  test("lead a good outcome to the next stage or done, and any other to its end, where nothing is written", () => {
    const plan = planOf(
      blueprint([
        command("a"),
        gate("b", { judge: { by: "exit", escalateExits: [3] } }),
        gate("c"),
        group("d", [command("m")]),
      ]),
    );
    expect(routesOf(plan)).toEqual({
      a: { success: { to: "b", back: false }, failure: { end: "fail" } },
      b: { pass: { to: "c", back: false }, fail: { end: "fail" }, escalate: { end: "escalate" } },
      c: { pass: { to: "d", back: false }, fail: { end: "fail" } },
      d: { success: { end: "done" }, failure: { end: "fail" } },
    });
    expect(plan.start).toBe("a");
  });

  test("mark an edge to the same or an earlier stage as leading back", () => {
    const source = blueprint(
      [
        command("a", { on: { failure: "c" } }),
        command("b", { on: { failure: "b" } }),
        gate("c", { on: { fail: "a", pass: "done" } }),
      ],
      { limits: { rounds: 2 } },
    );
    expect(routesOf(planOf(source))).toEqual({
      a: { success: { to: "b", back: false }, failure: { to: "c", back: false } },
      b: { success: { to: "c", back: false }, failure: { to: "b", back: true } },
      c: { pass: { end: "done" }, fail: { to: "a", back: true } },
    });
  });

  test("say where a pause goes on: after a stage that went well, again with one that did not", () => {
    const source = blueprint(
      [
        command("a", { on: { success: "paused", failure: "paused" } }),
        gate("b", {
          judge: { by: "exit", escalateExits: [9] },
          on: { pass: "paused", fail: "fail", escalate: "paused" },
        }),
      ],
      { limits: { rounds: 4 } },
    );
    expect(routesOf(planOf(source))).toEqual({
      a: {
        success: { end: "paused", resume: { to: "b", back: false } },
        failure: { end: "paused", resume: { to: "a", back: true } },
      },
      b: {
        pass: { end: "paused", resume: { end: "done" } },
        fail: { end: "fail" },
        escalate: { end: "paused", resume: { to: "b", back: true } },
      },
    });
  });

  test("refuse an outcome the stage never has and a target that does not exist", () => {
    const source = blueprint([
      command("build", { on: { succes: "done", failure: "tset" } }),
      gate("test", { on: { escalate: "done", fail: "nowhere" } }),
    ]);
    expect(problemsOf(source).map(({ code, what, hint }) => [code, what, hint])).toEqual([
      ["PLAN_OUTCOME_UNKNOWN", 'Stage "build" never has the outcome "succes".', 'Did you mean "success"?'],
      ["PLAN_TARGET_UNKNOWN", 'Stage "build" leads to "tset", which does not exist.', 'Did you mean "test"?'],
      ["PLAN_OUTCOME_UNKNOWN", 'Stage "test" never has the outcome "escalate".', "Its outcomes are: pass, fail."],
      [
        "PLAN_TARGET_UNKNOWN",
        'Stage "test" leads to "nowhere", which does not exist.',
        "Name a stage, or one of the ends: done, fail, paused.",
      ],
    ]);
  });

  test("refuse a blueprint without stages", () => {
    expect(codesOf(blueprint([]))).toEqual(["PLAN_STAGES_MISSING"]);
  });
});

describe("the level", () => {
  const source = blueprint([
    command("look"),
    gate("judge", { on: { fail: "report" } }),
    command("change", { level: "L2" }),
    command("push", { level: "L3" }),
    command("report", { on: { failure: "paused" }, maxVisits: 2 }),
  ]);

  test("ends every edge into a stage above it, and names that stage", () => {
    const plan = planOf(source, { level: "L1" });
    expect(routesOf(plan)).toEqual({
      look: { success: { to: "judge", back: false }, failure: { end: "fail" } },
      judge: { pass: { end: "done", cut: "change" }, fail: { to: "report", back: false } },
      report: { success: { end: "done" }, failure: { end: "paused", resume: { to: "report", back: true } } },
    });
    expect(cutStages(source, plan)).toEqual(["change", "push"]);
  });

  test("leaves out stages that only a cut stage led to", () => {
    const tail = blueprint([command("look"), command("change", { level: "L2" }), command("tidy")]);
    const plan = planOf(tail, { level: "L1" });
    expect(plan.stages.map((stage) => stage.id)).toEqual(["look"]);
    expect(cutStages(tail, plan)).toEqual(["change", "tidy"]);
  });

  test("plans at L0 what L1 would do, and at L3 everything", () => {
    expect(routesOf(planOf(source, { level: "L0" }))).toEqual(routesOf(planOf(source, { level: "L1" })));
    expect(planOf(source, { level: "L0" }).level).toBe("L0");
    expect(planOf(source, { level: "L2" }).stages.map((stage) => stage.id)).toEqual([
      "look",
      "judge",
      "change",
      "report",
    ]);
    expect(cutStages(source, planOf(source, { level: "L3" }))).toEqual([]);
  });

  test("cuts a pause that would go on above it", () => {
    const paused = blueprint([command("a", { on: { success: "paused" } }), command("b", { level: "L2" })]);
    expect(routesOf(planOf(paused, { level: "L1" }))).toEqual({
      a: { success: { end: "paused", resume: { end: "done", cut: "b" } }, failure: { end: "fail" } },
    });
  });

  test("of a group is that of its highest member", () => {
    const mixed = blueprint([
      command("a"),
      group("g", [command("m", { level: "L1" }), command("n", { level: "L2" }), command("o")]),
    ]);
    expect(routesOf(planOf(mixed, { level: "L1" }))["a"]?.["success"]).toEqual({ end: "done", cut: "g" });
    expect(planOf(mixed, { level: "L2" }).stages).toHaveLength(2);
    const own = blueprint([command("a"), group("g", [command("m")], { level: "L3" })]);
    expect(planOf(own, { level: "L2" }).stages).toHaveLength(1);
  });

  test("is too low when it cuts the first stage", () => {
    const [problem, ...more] = problemsOf(blueprint([command("push", { level: "L3" })]), { level: "L1" });
    expect(more).toEqual([]);
    expect(problem?.code).toBe("PLAN_LEVEL_TOO_LOW");
    expect(problem?.what).toBe('The first stage "push" needs level L3, and the ceiling is L1.');
    expect(problem?.hint).toBe("Compile with `--level L3`, or begin with a stage of a lower level.");
  });

  test("refuses a stage that uses what only a cut stage makes", () => {
    const uses = blueprint([
      command("look", { on: { failure: "tell" } }),
      command("change", { level: "L2" }),
      command("tell", { inputs: ["look.log", "change.log"], env: [["WHAT", ref("stages.change.output")]] }),
      action("note", { with: ref("stages.change.output.x") }),
      run("child", "kid", {
        params: [
          ["p", ref("params.p")],
          ["q", { text: ["a", { ref: ["stages", "change", "exit"] }] }],
        ],
      }),
      group("all", [command("m", { inputs: ["change.log"], program: { shell: ref("stages.look.output") } })], {
        forEach: ref("stages.change.output"),
      }),
      group("some", [command("m", { program: { argv: { list: [ref("stages")] } } })]),
    ]);
    const problems = problemsOf(uses, { level: "L1" }, [
      blueprint([command("k")], {
        name: "kid",
        params: [
          ["p", { where: { file: "", line: 1, column: 1, length: 1 }, default: 1 }],
          ["q", { where: { file: "", line: 1, column: 1, length: 1 } }],
        ],
      }),
    ]);
    expect(problems.map(({ code, data }) => [code, data["stage"], data["reference"]])).toEqual([
      ["PLAN_REFERENCE_CUT", "tell", "stages.change.output"],
      ["PLAN_REFERENCE_CUT", "tell", "change.log"],
      ["PLAN_REFERENCE_CUT", "note", "stages.change.output.x"],
      ["PLAN_REFERENCE_CUT", "child", "stages.change.exit"],
      ["PLAN_REFERENCE_CUT", "all", "stages.change.output"],
      ["PLAN_REFERENCE_CUT", "all", "change.log"],
    ]);
    expect(problems[0]?.what).toBe('Stage "tell" uses "stages.change.output", but "change" does not run at level L1.');
  });

  test("lead past a stage that the level does not reach to the one that is entered instead, and no further", () => {
    const below = (target: string) => ({ below: { target, where: { file: "b", line: 1, column: 1, length: 1 } } });
    const source = blueprint([
      command("a"),
      command("b", { level: "L3", ...below("d") }),
      command("c", { level: "L2", ...below("b") }),
      command("d", { level: "L2", ...below("e") }),
      command("e"),
      command("f", { level: "L2", ...below("nowhere") }),
    ]);
    const success = (level: "L1" | "L2" | "L3") =>
      planOf(source, { level }).stages.map(({ id, routes }) => [id, routes["success"]]);
    expect(success("L1")).toEqual([["a", { end: "done", cut: "b" }]]);
    expect(success("L2")).toEqual([
      ["a", { to: "d", back: false }],
      ["d", { to: "e", back: false }],
      ["e", { to: "f", back: false }],
      ["f", { end: "done" }],
    ]);
    expect(success("L3")[2]).toEqual(["c", { to: "d", back: false, below: { to: "e", back: false } }]);
  });

  test("lead to a person by the word, unless a stage has that name", () => {
    const on = { failure: "escalate" };
    const routes = (...more: ReturnType<typeof command>[]) =>
      planOf(blueprint([command("a", { on }), ...more])).stages[0]?.routes["failure"];
    expect(routes()).toEqual({ end: "escalate" });
    expect(routes(command("escalate"))).toEqual({ to: "escalate", back: false });
  });
});
