import { describe, expect, test } from "vitest";
import {
  action,
  argv,
  blueprint,
  command,
  gate,
  group,
  lit,
  param,
  planOf,
  ref,
  run,
  signature,
} from "../../test/support/blueprint-builder.ts";
import { ENDING_MS } from "./bound.ts";

const BACKOFF = { firstMs: 500, factor: 2, maxMs: 30_000 };

describe("a stage of the plan", () => {
  test("has every default filled in", () => {
    const [stage] = planOf(blueprint([command("a")])).stages;
    expect(stage).toEqual({
      id: "a",
      kind: "command",
      effect: "idempotent",
      wall: {
        sandbox: "workspace_write",
        network: [],
        resources: { memoryBytes: null, cpuMs: null, processes: 4096, fileBytes: 2 ** 32, outputBytes: 2 ** 30 },
      },
      maxAttempts: 1,
      backoff: BACKOFF,
      maxVisits: null,
      timeoutMs: 600_000,
      stallMs: null,
      cwd: ".",
      inputs: [],
      program: argv("true"),
      env: [],
      capture: "none",
      outputs: [],
      routes: { success: { end: "done" }, failure: { end: "fail" } },
    });
  });

  test("keeps the files that it names, each once and sorted", () => {
    const keep = ["shots/**", "*.png", "shots/**"];
    expect(planOf(blueprint([command("a", { keep })])).stages[0]).toMatchObject({ keep: ["*.png", "shots/**"] });
  });

  test("takes its own word, then the blueprint's", () => {
    const backoff = { firstMs: 1, factor: 1, maxMs: 1 };
    const defaults = {
      effect: "keyed",
      maxAttempts: 2,
      maxVisits: 3,
      timeoutMs: 4,
      stallMs: 5,
      backoff,
      cwd: "src",
    } as const;
    const own = {
      effect: "idempotent",
      maxAttempts: 6,
      maxVisits: 7,
      timeoutMs: 8,
      stallMs: 9,
      backoff: BACKOFF,
      cwd: "test",
    } as const;
    const plan = planOf(
      blueprint([command("a"), command("b", { ...own, title: "Second", inputs: ["a.log"] })], { defaults }),
    );
    expect(plan.stages[0]).toMatchObject(defaults);
    expect(plan.stages[1]).toMatchObject({ ...own, title: "Second", inputs: ["a.log"] });
  });

  test("that runs a process has its wall filled in, one resource at a time", () => {
    const defaults = {
      sandbox: "repo_write",
      network: ["b.org", "a.org"],
      resources: { cpuMs: 5, processes: 9 },
    } as const;
    const stages = [command("a"), command("b", { sandbox: "read_only", network: [], resources: { processes: 1 } })];
    const walls = planOf(blueprint(stages, { defaults })).stages.map((stage) => "wall" in stage && stage.wall);
    const rest = { memoryBytes: null, fileBytes: 2 ** 32, outputBytes: 2 ** 30 };
    expect(walls).toEqual([
      { sandbox: "repo_write", network: ["a.org", "b.org"], resources: { ...rest, cpuMs: 5, processes: 9 } },
      { sandbox: "read_only", network: [], resources: { ...rest, cpuMs: 5, processes: 1 } },
    ]);
  });

  test("that cannot reach beyond a workspace of its own may be repeated, any other may not", () => {
    const effects = (stage: object, kind: "clone" | "worktree" | "directory") =>
      planOf(blueprint([command("a", stage)], { workspace: { kind, from: "head", share: [] } })).stages[0]?.effect;
    expect(effects({}, "clone")).toBe("idempotent");
    expect(effects({ sandbox: "repo_write" }, "clone")).toBe("idempotent");
    expect(effects({}, "directory")).toBe("idempotent");
    expect(effects({ network: ["example.org"] }, "clone")).toBe("once");
    expect(effects({ sandbox: "danger_full_access" }, "clone")).toBe("once");
  });

  test("that checks may be repeated, unless the author says otherwise", () => {
    const stages = [gate("a", { judge: { by: "exit", escalateExits: [4, 3, 4] } }), gate("b", { effect: "once" })];
    expect(planOf(blueprint(stages)).stages.map((stage) => stage.effect)).toEqual(["idempotent", "once"]);
    expect(planOf(blueprint(stages)).stages[0]).toMatchObject({
      kind: "gate",
      judge: { by: "exit", escalateExits: [3, 4] },
    });
    expect(planOf(blueprint(stages, { defaults: { effect: "keyed" } })).stages.map((stage) => stage.effect)).toEqual([
      "keyed",
      "once",
    ]);
  });

  test("that calls an action is as strict as the action, or stricter", () => {
    const actions = [signature({ effect: "keyed", cost: { tokens: 5, microUsd: 7 } })];
    const effectOf = (written: object, defaults: object) =>
      planOf(blueprint([action("a", { ...written, with: lit({}) })], { defaults }), { actions }).stages[0]?.effect;
    expect(effectOf({}, {})).toBe("keyed");
    expect(effectOf({ effect: "once" }, {})).toBe("once");
    expect(effectOf({}, { effect: "once" })).toBe("once");
    expect(effectOf({}, { effect: "idempotent" })).toBe("keyed");
    const [stage] = planOf(blueprint([action("a")]), { actions }).stages;
    expect(stage).toMatchObject({
      kind: "action",
      action: "note",
      with: { map: [] },
      cost: { tokens: 5, microUsd: 7 },
    });
  });

  test("that is a group keeps its members, with one attempt and no visits of their own", () => {
    const members = [command("m", { maxVisits: 3, maxAttempts: 2 }), gate("n")];
    const source = blueprint([group("g", members, { maxParallel: 2, failFast: true })], {
      defaults: { maxAttempts: 4, maxVisits: 5 },
    });
    const [stage] = planOf(source).stages;
    expect(stage).toMatchObject({
      kind: "group",
      effect: "idempotent",
      maxAttempts: 1,
      maxVisits: 5,
      forEach: null,
      maxParallel: 2,
      failFast: true,
      members: [
        { id: "m", maxAttempts: 2, maxVisits: null, routes: {} },
        { id: "n", maxAttempts: 4, maxVisits: null, routes: {} },
      ],
      timeoutMs: 4 * (600_000 + ENDING_MS) + 500 + 1000 + 2000,
    });
    const each = group("g", [command("m")], { forEach: ref("params.list"), maxItems: 3 });
    expect(planOf(blueprint([each])).stages[0]).toMatchObject({
      forEach: { ref: ["params", "list"] },
      maxItems: 3,
      timeoutMs: 3 * (600_000 + ENDING_MS),
    });
  });

  test("that runs a child names its plan, is keyed, and may take the child's worst case", () => {
    const kid = blueprint([command("k", { timeoutMs: 50 })], {
      name: "kid",
      params: [
        ["a", param({ type: "string" })],
        ["b", param({ default: 1 })],
        ["c", param({ type: "list", default: [] })],
      ],
    });
    const params = [
      ["b", lit(2)],
      ["a", ref("params.x")],
    ] as const;
    const source = blueprint(
      [
        run("r", "kid", { params }),
        run("s", "kid", {
          params: [
            ["b", lit(3)],
            ["a", lit("y")],
          ],
          timeoutMs: 20,
        }),
      ],
      {
        defaults: { effect: "once", timeoutMs: 5 },
      },
    );
    const plan = planOf(source, {}, [kid]);
    expect(plan.children).toHaveLength(1);
    expect(plan.children[0]).toMatchObject({ name: "kid", params: { b: 1, c: [] } });
    const common = { kind: "run", effect: "keyed", plan: plan.children[0]?.fingerprint, types: { a: "string" } };
    expect(plan.stages[0]).toMatchObject({
      ...common,
      timeoutMs: 50 + ENDING_MS,
      params: [
        ["a", ref("params.x")],
        ["b", lit(2)],
      ],
    });
    expect(plan.stages[1]).toMatchObject({ ...common, timeoutMs: 20 });
    const untyped = planOf(blueprint([run("r", "kid")]), {}, [blueprint([command("k")], { name: "kid" })]);
    expect(untyped.stages[0]).not.toHaveProperty("types");
  });
});
