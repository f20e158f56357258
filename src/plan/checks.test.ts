import { describe, expect, test } from "vitest";
import {
  action,
  blueprint,
  codesOf,
  command,
  group,
  lit,
  param,
  planOf,
  problemsOf,
  ref,
  run,
  signature,
} from "../../test/support/blueprint-builder.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";

describe("an action", () => {
  const actions = [
    signature({
      name: "git.commit",
      effect: "once",
      input: {
        message: { required: true, summary: "The text of the commit." },
        sign: { required: false, summary: "Sign it." },
      },
    }),
  ];

  test("must be registered", () => {
    const source = blueprint([action("a", { action: "git.comit" }), action("b", { action: "deploy.everything" })]);
    expect(problemsOf(source, { actions }).map(({ code, hint }) => [code, hint])).toEqual([
      ["PLAN_ACTION_UNKNOWN", 'Did you mean "git.commit"?'],
      ["PLAN_ACTION_UNKNOWN", "Register the action, or use a command."],
    ]);
  });

  test("gets only what it takes and all that it needs", () => {
    const withInput = (input: Parameters<typeof action>[1]) =>
      blueprint([action("a", { action: "git.commit", ...input })]);
    const unknown = problemsOf(
      withInput({
        with: {
          map: [
            ["mesage", lit("x")],
            ["shout", lit(1)],
          ],
        },
      }),
      { actions },
    );
    expect(unknown.map(({ code, what, hint }) => [code, what, hint])).toEqual([
      ["PLAN_ACTION_INPUT_UNKNOWN", 'Action "git.commit" takes no "mesage" (stage "a").', 'Did you mean "message"?'],
      ["PLAN_ACTION_INPUT_UNKNOWN", 'Action "git.commit" takes no "shout" (stage "a").', "Leave it out."],
      [
        "PLAN_ACTION_INPUT_MISSING",
        'Action "git.commit" needs "message" (stage "a").',
        "Add `message` below `with`: The text of the commit.",
      ],
    ]);
    expect(codesOf(withInput({ with: lit({ sign: true }) }), { actions })).toEqual(["PLAN_ACTION_INPUT_MISSING"]);
    for (const wrong of [lit([]), lit("x"), { list: [] }, { text: ["a"] }]) {
      expect(codesOf(withInput({ with: wrong }), { actions })).toEqual(["PLAN_ACTION_INPUT_NOT_MAP"]);
    }
  });

  test("may take any name beside those it needs", () => {
    const summary = "Anything.";
    const open = [signature({ input: { "*": { required: false, summary }, at: { required: true, summary } } })];
    const source = blueprint([action("a", { with: lit({ x: 1, y: 2 }) })]);
    expect(problemsOf(source, { actions: open }).map(({ code, data }) => [code, data["member"]])).toEqual([
      ["PLAN_ACTION_INPUT_MISSING", "at"],
    ]);
  });

  test("is not asked for names that only the run will know", () => {
    const source = blueprint([
      action("a", { action: "git.commit", with: ref("stages.b.output") }),
      action("b", { action: "x" }),
    ]);
    expect(codesOf(source, { actions })).toEqual(["PLAN_ACTION_UNKNOWN"]);
  });

  test("is never made freer than it declares", () => {
    const source = blueprint([action("a", { action: "git.commit", effect: "keyed", with: lit({ message: "x" }) })]);
    const [problem] = problemsOf(source, { actions });
    expect(problem?.code).toBe("PLAN_EFFECT_WEAKENED");
    expect(problem?.what).toBe('Stage "a" says `keyed`, but action "git.commit" is `once`.');
    expect(problem?.hint).toBe("Write `effect: once`, or leave `effect` out.");
  });

  test("that needs a higher level is refused where the level reaches it, and left out where it does not", () => {
    const merge = [signature({ name: "git.merge", level: "L3" })];
    const plain = blueprint([command("work"), action("a", { action: "git.merge" })]);
    const [problem, ...more] = problemsOf(plain, { actions: merge, level: "L2" });
    expect(more).toEqual([]);
    expect([problem?.code, problem?.what, problem?.hint, problem?.where?.line]).toEqual([
      "PLAN_ACTION_LEVEL",
      'Stage "a" calls the action "git.merge", which needs level L3, and the ceiling is L2.',
      "Use `--level L3`, or write `level: L3` on the stage: then a run below that level ends before it.",
      1,
    ]);
    expect(planOf(plain, { actions: merge, level: "L3" }).stages).toHaveLength(2);
    expect(codesOf(plain, { actions: merge, level: "L0" })).toEqual(["PLAN_ACTION_LEVEL"]);
    const low = blueprint([command("work"), group("g", [action("m", { action: "git.merge", level: "L2" })])]);
    expect(codesOf(low, { actions: merge, level: "L2" })).toEqual(["PLAN_ACTION_LEVEL"]);
    expect(planOf(low, { actions: merge, level: "L1" }).stages).toHaveLength(1);
  });

  test("is held to the level of the whole plan in a child run too", () => {
    const actions = [signature({ name: "git.commit", level: "L2" })];
    const kid = blueprint([action("k", { action: "git.commit" })], { name: "kid" });
    const source = blueprint([run("r", "kid")]);
    expect(codesOf(source, { actions, level: "L1" }, [kid])).toEqual(["PLAN_ACTION_LEVEL"]);
    expect(planOf(source, { actions, level: "L2" }, [kid]).children).toHaveLength(1);
  });

  test("is checked in a stage that the level leaves out, and in a group", () => {
    const source = blueprint([group("g", [action("m", { action: "x" })]), action("a", { action: "y", level: "L3" })]);
    expect(codesOf(source, { level: "L1" })).toEqual(["PLAN_ACTION_UNKNOWN", "PLAN_ACTION_UNKNOWN"]);
  });
});

describe("the effect", () => {
  test("of a group or a child run cannot be chosen", () => {
    const kid = blueprint([command("k")], { name: "kid" });
    const source = blueprint([
      group("g", [command("m")], { effect: "once" }),
      run("r", "kid", { effect: "idempotent" }),
      group("h", [command("m")], { effect: "idempotent" }),
      run("s", "kid", { effect: "keyed" }),
    ]);
    expect(problemsOf(source, {}, [kid]).map(({ code, what }) => [code, what])).toEqual([
      ["PLAN_EFFECT_FIXED", 'Stage "g" says `effect: once`, but a group stage is always `idempotent`.'],
      ["PLAN_EFFECT_FIXED", 'Stage "r" says `effect: idempotent`, but a run stage is always `keyed`.'],
    ]);
  });
});

describe("a child", () => {
  const kid = blueprint([command("k")], {
    name: "kid",
    params: [
      ["branch", param({ type: "string" })],
      ["depth", param({ type: "number", default: 1 })],
      ["any", param({ default: null })],
    ],
  });

  test("must be found", () => {
    const [problem, ...more] = problemsOf(blueprint([run("r", "nobody")]));
    expect([problem?.code, problem?.what, more]).toEqual([
      "PLAN_CHILD_NOT_FOUND",
      'Stage "r" runs the blueprint "nobody", which was not found.',
      [],
    ]);
  });

  test("gets parameters it has, all it needs, and of the type it declares", () => {
    const params = [
      ["brunch", lit("x")],
      ["zzz", lit(1)],
      ["depth", lit("deep")],
      ["any", lit(1)],
    ] as const;
    expect(
      problemsOf(blueprint([run("r", "kid", { params })]), {}, [kid]).map(({ code, hint, where }) => [
        code,
        hint,
        where?.line,
      ]),
    ).toEqual([
      ["PLAN_PARAM_UNKNOWN", 'Did you mean "branch"?', 1],
      ["PLAN_PARAM_UNKNOWN", "Declare it below `params`, or leave it out.", 1],
      ["PLAN_PARAM_TYPE", "Give a number, or change the declared `type`.", 1],
      ["PLAN_PARAM_MISSING", "Give it with `--param branch=…`, or add a `default`.", 1],
    ]);
  });
});

describe("a wall", () => {
  test("that could not hold what it promises is refused", () => {
    const inFolder = (stage: object) =>
      blueprint([command("a", stage)], { workspace: { kind: "directory", from: "head", share: [] } });
    expect(planOf(inFolder({})).stages[0]).toMatchObject({ wall: { sandbox: "read_only" } });
    expect(planOf(inFolder({ sandbox: "danger_full_access" })).stages).toHaveLength(1);
    expect(codesOf(inFolder({ sandbox: "workspace_write" }))).toEqual(["PLAN_SANDBOX_UNFIT"]);
    expect(codesOf(inFolder({ sandbox: "repo_write" }))).toEqual(["PLAN_SANDBOX_UNFIT"]);
    const linked = { kind: "worktree", from: "head", share: [] } as const;
    expect(codesOf(blueprint([command("a", { sandbox: "repo_write" })], { workspace: linked }))).toEqual([
      "PLAN_REPOSITORY_SHARED",
    ]);
    const open = command("a", { sandbox: "danger_full_access", network: ["example.org"] });
    expect(codesOf(blueprint([open]))).toEqual(["PLAN_NETWORK_UNENFORCEABLE"]);
    expect(codesOf(blueprint([group("g", [open])]))).toEqual(["PLAN_NETWORK_UNENFORCEABLE"]);
    const models = { tokens: 1, microUsd: 1, calls: 1, providers: null };
    const spending = { ...command("a", { sandbox: "danger_full_access" }), models };
    expect(codesOf(blueprint([spending]))).toEqual(["PLAN_MODELS_UNENFORCEABLE"]);
    expect(planOf(blueprint([{ ...spending, sandbox: "read_only" }])).stages[0]).toMatchObject({ models });
  });
});

describe("a child run", () => {
  test("works where its parent works", () => {
    const kid = (workspace: Blueprint["workspace"]) => [blueprint([command("k")], { name: "kid", workspace })];
    const parent = blueprint([run("r", "kid")]);
    expect(planOf(parent, {}, kid({ kind: "clone", from: "head", share: [] })).children).toHaveLength(1);
    expect(codesOf(parent, {}, kid({ kind: "worktree", from: "head", share: [] }))).toEqual(["PLAN_CHILD_WORKSPACE"]);
    expect(codesOf(parent, {}, kid({ kind: "clone", from: "working_tree", share: [] }))).toEqual([
      "PLAN_CHILD_WORKSPACE",
    ]);
  });
});
