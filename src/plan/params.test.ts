import { describe, expect, test } from "vitest";
import { blueprint, codesOf, command, param, planOf, problemsOf } from "../../test/support/blueprint-builder.ts";
import type { JsonValue } from "../base/json.ts";
import { matchesType } from "./params.ts";

const stages = [command("a")];

describe("parameters", () => {
  test("take the given value, then the default, and keep their type", () => {
    const source = blueprint(stages, {
      params: [
        ["test", param({ type: "list", default: ["npm", "test"] })],
        ["depth", param({ type: "number", default: 3 })],
        ["label", param({ default: null })],
      ],
    });
    expect(planOf(source, { params: { depth: 7 } }).params).toEqual({ test: ["npm", "test"], depth: 7, label: null });
  });

  test("report every problem at once, each with what to do", () => {
    const source = blueprint(stages, {
      params: [
        ["branch", param({ type: "string" })],
        ["depth", param({ type: "number" })],
        ["flags", param({ type: "map", default: [] })],
      ],
    });
    const problems = problemsOf(source, { params: { brunch: "x", zzz: 1, depth: "7" } });
    expect(problems.map(({ code, what, hint, where }) => [code, what, hint, where?.line])).toEqual([
      ["PLAN_PARAM_UNKNOWN", 'Blueprint "demo" has no parameter "brunch".', 'Did you mean "branch"?', undefined],
      [
        "PLAN_PARAM_UNKNOWN",
        'Blueprint "demo" has no parameter "zzz".',
        "Declare it below `params`, or leave it out.",
        undefined,
      ],
      [
        "PLAN_PARAM_MISSING",
        'Parameter "branch" of blueprint "demo" has no value.',
        "Give it with `--param branch=…`, or add a `default`.",
        4,
      ],
      [
        "PLAN_PARAM_TYPE",
        'Parameter "depth" must be a number, and its value is a string.',
        "Give a number, or change the declared `type`.",
        4,
      ],
      [
        "PLAN_PARAM_TYPE",
        'Parameter "flags" must be a map, and its value is a list.',
        "Give a map, or change the declared `type`.",
        4,
      ],
    ]);
  });

  test("say what is missing and how it is written, so that it can be given as it stands there", () => {
    const spec = param({ type: "list", description: "The command that tests the project." });
    const problems = problemsOf(blueprint(stages, { params: [["test", spec]] }));
    expect(problems.map(({ what, hint }) => [what, hint])).toEqual([
      [
        'Parameter "test" of blueprint "demo" has no value: The command that tests the project.',
        'Give it with `--param \'test=["…", "…"]\'`, or add a `default`.',
      ],
    ]);
  });

  test("refuse what cannot be stored, whatever its type claims to be", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const value of [Number.NaN, () => 1, circle] as unknown as JsonValue[]) {
      const source = blueprint(stages, { params: [["x", param()]] });
      expect(codesOf(source, { params: { x: value } })).toEqual(["PLAN_PARAM_NOT_JSON"]);
    }
  });

  test("take names that mean something to JavaScript as plain names", () => {
    const source = blueprint(stages, {
      params: [
        ["constructor", param()],
        ["__proto__", param({ default: 1 })],
      ],
    });
    expect(codesOf(source)).toEqual(["PLAN_PARAM_MISSING"]);
    const { params } = planOf(source, { params: { constructor: "x" } });
    expect(Object.entries(params)).toEqual([
      ["__proto__", 1],
      ["constructor", "x"],
    ]);
  });
});

describe("matchesType", () => {
  test("tells every type of a value from every other", () => {
    const values = { string: "", number: 0, boolean: false, list: [], map: {} } as const;
    const types = Object.keys(values) as (keyof typeof values)[];
    for (const [name, value] of Object.entries(values)) {
      expect(types.filter((type) => matchesType(value, type))).toEqual([name]);
    }
    expect(types.filter((type) => matchesType(null, type))).toEqual([]);
  });
});
