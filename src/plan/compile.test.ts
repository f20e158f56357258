import { describe, expect, test } from "vitest";
import {
  action,
  blueprint,
  codesOf,
  command,
  gate,
  group,
  param,
  planOf,
  problemsOf,
  run,
} from "../../test/support/blueprint-builder.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { STAGNATION_DEFAULTS } from "../limits/stagnation/thresholds.ts";
import type { Rule } from "../policy/rule.ts";
import { GUARD } from "../policy/shipped/guard.ts";
import { SETS } from "../policy/shipped/sets.ts";
import { policyDigest } from "./fingerprint.ts";
import type { Plan } from "./plan.ts";

/** The names of the rules that are not part of every plan. */
const own = (rules: readonly Rule[] | undefined): readonly string[] =>
  (rules ?? []).map(({ id }) => id).filter((id) => !id.startsWith("guard."));

function rule(id: string): Rule {
  return { id, effect: "allow", pattern: { action: "note" } };
}

describe("compile", () => {
  test("gives a plan that cannot be changed and shares nothing with what it was made from", () => {
    const params = { list: ["a"] };
    const source = blueprint([command("a")], { params: [["list", param()]] });
    const plan = planOf(source, { params });
    params.list.push("b");
    expect(plan.params).toEqual({ list: ["a"] });
    expect(Object.isFrozen(source.stages)).toBe(false);
    expect(() => Object.assign(plan.stages[0] as object, { effect: "idempotent" })).toThrow(TypeError);
    expect(() => (plan.params["list"] as string[]).push("c")).toThrow(TypeError);
  });

  test("names where a plan came from that nobody wrote as a blueprint, and not in its children", () => {
    const origin = { door: "openexec", path: ".openexec/blueprints/a.yaml" } as const;
    const source = blueprint([run("r", "kid")]);
    const kid = blueprint([command("k")], { name: "kid" });
    const plan = planOf(source, { origin }, [kid]);
    expect(plan.origin).toEqual(origin);
    expect(plan.children[0]).not.toHaveProperty("origin");
    const written = planOf(source, {}, [kid]);
    expect(written).not.toHaveProperty("origin");
    expect(written.fingerprint).not.toBe(plan.fingerprint);
  });

  test("lets a child tighten and never loosen: what its ancestors deny or ask about comes with it", () => {
    const kid = blueprint([command("k")], { name: "kid", rules: [rule("kid.allow[0]")] });
    const strict: Rule[] = [
      { ...rule("blueprint.deny[0]"), effect: "deny" },
      { ...rule("blueprint.ask[0]"), effect: "ask" },
      rule("blueprint.allow[0]"),
    ];
    const plan = planOf(blueprint([run("r", "kid")], { name: "top", rules: strict }), { level: "L2" }, [kid]);
    expect(own(plan.children[0]?.rules)).toEqual(["top:blueprint.deny[0]", "top:blueprint.ask[0]", "kid.allow[0]"]);
  });

  test("has the guard in every plan, the sets it uses once, and a digest of all rules without their examples", () => {
    const examples = { match: [["x"]] };
    const kid = blueprint([command("k")], { name: "kid" });
    const source = blueprint([run("r", "kid")], {
      use: ["everyday"],
      rules: [{ ...rule("blueprint.allow[0]"), examples }],
    });
    const plan = planOf(source, { rules: SETS.everyday, level: "L2" }, [kid]);
    const ids = plan.rules.map(({ id }) => id);
    expect(ids.slice(0, GUARD.length)).toEqual(GUARD.map(({ id }) => id));
    expect(ids.length).toBe(GUARD.length + SETS.everyday.length + 1);
    expect(plan.children[0]?.rules.slice(0, GUARD.length)).toEqual(plan.rules.slice(0, GUARD.length));
    expect(plan.rules.filter((each) => each.examples !== undefined)).toEqual([]);
    expect(plan.policy).toBe(policyDigest(plan.rules));
    expect(plan.policy).not.toBe(plan.children[0]?.policy);
  });

  test("puts rules from outside before those of the blueprint, for children too", () => {
    const kid = blueprint([command("k")], { name: "kid", rules: [rule("kid.allow[0]")] });
    const source = blueprint([run("r", "kid")], { rules: [rule("blueprint.allow[0]")] });
    const plan = planOf(source, { rules: [rule("user.deny[0]")], level: "L2" }, [kid]);
    expect(own(plan.rules)).toEqual(["user.deny[0]", "blueprint.allow[0]"]);
    expect(own(plan.children[0]?.rules)).toEqual(["user.deny[0]", "kid.allow[0]"]);
    expect(plan.children[0]?.level).toBe("L2");
  });

  test("keeps the limits of the author and no others", () => {
    const limits = { stages: 1, wallMs: 2, rounds: 3, consecutiveFailures: 4, tokens: 5, microUsd: 6 };
    expect(planOf(blueprint([command("a")], { limits })).limits).toEqual({ ...limits, failedRounds: 4 });
    const none = { stages: null, wallMs: null, rounds: null, consecutiveFailures: null, tokens: null, microUsd: null };
    expect(planOf(blueprint([command("a")])).limits).toEqual(none);
  });

  test("asks about stagnation where something leads back, with what the author says", () => {
    const loop = (on: Readonly<Record<string, string>>) => [command("a"), gate("b", { on })];
    const limits = { rounds: 2 };
    expect(planOf(blueprint(loop({ fail: "a" }), { limits })).limits.stagnation).toEqual(STAGNATION_DEFAULTS);
    expect(planOf(blueprint(loop({ fail: "fail" }), { limits })).limits.stagnation).toBeUndefined();
    const own = { ...limits, stagnation: { sameTree: 7 } };
    const asked = { ...STAGNATION_DEFAULTS, sameTree: 7 };
    expect(planOf(blueprint(loop({ fail: "a" }), { limits: own })).limits.stagnation).toEqual(asked);
    expect(planOf(blueprint(loop({ fail: "fail" }), { limits: own })).limits.stagnation).toEqual(asked);
    const paused = [command("a", { on: { failure: "paused" } })];
    expect(planOf(blueprint(paused, { limits })).limits.stagnation).toEqual(STAGNATION_DEFAULTS);
  });

  test("hands the depth that is left down to its children, which may only lower it", () => {
    const depths = (plan: Plan | undefined): (number | undefined)[] =>
      plan === undefined ? [] : [plan.limits.depth, ...depths(plan.children[0])];
    const low = blueprint([command("x")], { name: "low" });
    const mid = (depth?: number) =>
      blueprint([run("r", "low")], { name: "mid", limits: depth === undefined ? {} : { depth } });
    const top = (depth?: number) => blueprint([run("r", "mid")], { limits: depth === undefined ? {} : { depth } });
    expect(depths(planOf(top(), {}, [mid(), low]))).toEqual([undefined, undefined, undefined]);
    expect(depths(planOf(top(5), {}, [mid(), low]))).toEqual([5, 4, 3]);
    expect(depths(planOf(top(5), {}, [mid(1), low]))).toEqual([5, 1, 0]);
    expect(depths(planOf(top(1), {}, [mid(9), low]))).toEqual([1, 0, 0]);
    expect(depths(planOf(top(), {}, [mid(1), low]))).toEqual([undefined, 1, 0]);
  });

  test("reports the problems of parameters, stages, routes and cycles together", () => {
    const source = blueprint(
      [
        command("a", { on: { succes: "b" } }),
        action("b", { action: "nope" }),
        gate("c", { on: { fail: "a" } }),
        run("d", "gone"),
      ],
      { params: [["x", param()]] },
    );
    expect(codesOf(source)).toEqual([
      "PLAN_PARAM_MISSING",
      "PLAN_OUTCOME_UNKNOWN",
      "PLAN_ACTION_UNKNOWN",
      "PLAN_CHILD_NOT_FOUND",
      "PLAN_CYCLE_UNBOUNDED",
    ]);
  });
});

describe("a child blueprint", () => {
  test("is asked for by the name as written and the file that names it", () => {
    const inner = blueprint([command("i")], { name: "inner", file: "sub/inner.yaml" });
    const outer = blueprint([run("o", "inner.yaml")], { name: "outer", file: "sub/outer.yaml" });
    const asked: string[] = [];
    const child = (name: string, from: string): Blueprint => {
      asked.push(`${from}: ${name}`);
      return name === "inner.yaml" ? inner : outer;
    };
    const plan = planOf(blueprint([run("r", "sub/outer.yaml")]), { child });
    expect(new Set(asked)).toEqual(new Set(["demo.yaml: sub/outer.yaml", "sub/outer.yaml: inner.yaml"]));
    expect(plan.children[0]?.children[0]?.name).toBe("inner");
  });

  test("is compiled once and held once, however many stages run it", () => {
    const kid = blueprint([action("k", { action: "nope" })], { name: "kid" });
    expect(codesOf(blueprint([run("a", "kid"), group("g", [run("b", "kid")])]), {}, [kid])).toEqual([
      "PLAN_ACTION_UNKNOWN",
    ]);
    const good = blueprint([command("k")], { name: "kid" });
    const plan = planOf(blueprint([run("a", "kid"), group("g", [run("b", "kid")])]), {}, [good]);
    expect(plan.children).toHaveLength(1);
  });

  test("that cannot be compiled is reported with its own problems", () => {
    const kid = blueprint([command("k", { level: "L2", on: { failure: "k" } })], {
      name: "kid",
      params: [["n", param({ type: "number", default: "one" })]],
    });
    expect(codesOf(blueprint([run("r", "kid")]), { level: "L1" }, [kid])).toEqual([
      "PLAN_PARAM_TYPE",
      "PLAN_LEVEL_TOO_LOW",
    ]);
  });

  test("is not compiled for a stage that the level leaves out", () => {
    const kid = blueprint([command("k", { level: "L2" })], { name: "kid" });
    const plan = planOf(blueprint([command("a"), run("r", "kid", { level: "L2" })]), { level: "L1" }, [kid]);
    expect(plan.children).toEqual([]);
  });

  test("may not run itself, at once or by way of another", () => {
    const a = blueprint([run("x", "b")], { name: "a" });
    const b = blueprint([run("y", "a")], { name: "b" });
    const [problem, ...more] = problemsOf(a, {}, [a, b]);
    expect(more).toEqual([]);
    expect([problem?.code, problem?.what]).toEqual([
      "PLAN_CHILD_RECURSIVE",
      'Stage "y" makes a blueprint run itself: a -> b -> a.',
    ]);
    const self = blueprint([run("x", "me")], { name: "me" });
    expect(problemsOf(self, {}, [self])[0]?.what).toBe('Stage "x" makes a blueprint run itself: me -> me.');
    const late = blueprint([run("z", "a")], { name: "late" });
    expect(problemsOf(late, {}, [a, b])[0]?.what).toBe('Stage "y" makes a blueprint run itself: a -> b -> a.');
  });

  test("nests sixteen deep and no deeper", () => {
    const chain = (length: number): Blueprint[] =>
      Array.from({ length }, (_, index) =>
        blueprint([index === length - 1 ? command("k") : run("r", `n${index + 1}`)], { name: `n${index}` }),
      );
    const [first, ...rest] = chain(17) as [Blueprint, ...Blueprint[]];
    expect(planOf(first, {}, rest).bound.stages).toBe(17);
    const [top, ...below] = chain(18) as [Blueprint, ...Blueprint[]];
    expect(problemsOf(top, {}, below).map(({ code, what }) => [code, what])).toEqual([
      ["PLAN_CHILD_TOO_DEEP", 'Stage "r" would nest child runs more than 16 deep.'],
    ]);
  });

  test("may be shared, but not so that the plan grows without measure", () => {
    const layers = 9;
    const pairs = Array.from({ length: layers }, (_, index) =>
      ["a", "b"].map((side) => {
        const stages = index === layers - 1 ? [command("k")] : [run("x", `a${index + 1}`), run("y", `b${index + 1}`)];
        return blueprint(stages, { name: `${side}${index}`, limits: { stages: side === "a" ? 1000 : 2000 } });
      }),
    ).flat();
    const [problem, ...more] = problemsOf(pairs[0] as Blueprint, {}, pairs);
    expect(more).toEqual([]);
    expect([problem?.code, problem?.what]).toEqual([
      "PLAN_CHILDREN_TOO_MANY",
      'Blueprint "a0" holds more than 256 child plans, nested ones counted.',
    ]);
  });
});
