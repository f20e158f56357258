import { describe, expect, it } from "vitest";
import { isPawlError } from "../../base/errors.ts";
import { parseParams } from "./params.ts";

describe("parseParams", () => {
  it("keeps the type of JSON values and takes anything else as text", () => {
    expect(
      parseParams([
        "n=3",
        "on=true",
        'list=["a","b"]',
        "text=hello world",
        'quoted="3"',
        "empty=",
        "eq=a=b",
        "broken=[1",
      ]),
    ).toEqual({
      n: 3,
      on: true,
      list: ["a", "b"],
      text: "hello world",
      quoted: "3",
      empty: "",
      eq: "a=b",
      broken: "[1",
    });
  });

  it("names every wrong parameter at once", () => {
    try {
      parseParams(["novalue", "=3", "a=1", "a=2"]);
      expect.unreachable();
    } catch (error) {
      expect(isPawlError(error) && error.problems.map((problem) => problem.code)).toEqual([
        "CLI_PARAM_INVALID",
        "CLI_PARAM_INVALID",
        "CLI_PARAM_REPEATED",
      ]);
    }
  });

  it("keeps a parameter named __proto__ as a parameter", () => {
    const params = parseParams(["__proto__=1"]);
    expect(Object.keys(params)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
  });
});
