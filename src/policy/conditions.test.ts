import { describe, expect, it } from "vitest";
import type { Mode } from "./asked.ts";
import { compileCondition, conditionProblem } from "./conditions.ts";
import type { PolicyRequest } from "./request.ts";
import type { Condition, Field, Operator } from "./rule.ts";

const holds = (request: PolicyRequest, condition: Condition, mode: Mode = "must"): boolean =>
  compileCondition(condition, mode)({ request, isVouched: false });
const condition = (field: Field, op: Operator, ...values: string[]): Condition => ({ field, op, values });

const RUN: PolicyRequest = {
  kind: "run",
  argv: ["git", "push", "src/../a"],
  env: [["A", "1"]],
  who: { user: "ann", tenant: "acme" },
  tier: "high",
};
const TOOL: PolicyRequest = {
  kind: "tool",
  tool: "write",
  args: { path: "a", list: ["b", { deep: "c" }], n: 1, no: null },
};

describe("conditions", () => {
  it.each<[Condition, boolean]>([
    [condition("arg", "eq", "push"), true],
    [condition("arg", "eq", "git"), false],
    [condition("arg", "ne", "push"), false],
    [condition("arg", "ne", "pull"), true],
    [condition("arg", "contains", "us"), true],
    [condition("arg", "contains", "zz"), false],
    [condition("arg", "matches", "^pu.h$"), true],
    [condition("arg", "matches", "^u"), false],
    [condition("arg", "in", "pull", "push"), true],
    [condition("arg", "in"), false],
    [condition("arg", "prefix", "pu"), true],
    [condition("arg", "suffix", "sh"), true],
    [condition("user", "eq", "ann"), true],
    [condition("tenant", "eq", "acme"), true],
    [condition("tier", "eq", "high"), true],
    [condition("env", "eq", "A=1"), true],
    [condition("action", "eq", "run"), true],
    [condition("tool", "eq", "run_shell_command"), true],
    [condition("pattern", "eq", "git push src/../a"), true],
  ])("%j is %s", (given, expected) => {
    expect(holds(RUN, given)).toBe(expected);
  });

  it.each<[PolicyRequest, Field, string]>([
    [{ kind: "shell", script: "ls | wc" }, "pattern", "ls | wc"],
    [{ kind: "shell", script: "ls" }, "tool", "shell"],
    [{ kind: "action", action: "git.push" }, "action", "git.push"],
    [{ kind: "action", action: "git.push" }, "pattern", "git.push"],
    [{ kind: "action", action: "git.push" }, "tool", "action"],
    [{ kind: "read", path: "./a" }, "path", "a"],
    [{ kind: "read", path: "./a" }, "tool", "read_file"],
    [{ kind: "read", path: "./a" }, "pattern", "./a"],
    [{ kind: "edit", path: "./a" }, "pattern", "./a"],
    [{ kind: "edit", path: "./a" }, "tool", "write_file"],
    [{ kind: "edit", path: null }, "pattern", ""],
    [{ kind: "fetch", host: "a", port: 1 }, "pattern", "a:1"],
    [{ kind: "fetch", host: "a", port: 1 }, "tool", "web_fetch"],
    [TOOL, "tool", "write"],
    [TOOL, "arg", "c"],
    [{ ...TOOL, args: { a: "b" } }, "pattern", 'write {"a":"b"}'],
    [{ kind: "mcp", server: "s", tool: "t" }, "pattern", "s/t"],
    [{ kind: "mcp", server: "s", tool: "t" }, "tool", "s/t"],
    [{ kind: "git", operation: "push", refs: ["main"], force: false }, "pattern", "push main"],
    [{ kind: "git", operation: "push", refs: ["main"], force: false }, "action", "push"],
    [{ kind: "git", operation: "push", refs: ["main"], force: false }, "tool", "git_push"],
    [{ kind: "spend", microUsd: 1, tokens: 2 }, "pattern", "1 2"],
  ])("reads %j: its %s is %s", (request, field, value) => {
    expect(holds(request, condition(field, "eq", value))).toBe(true);
    expect(holds(request, condition(field, "eq", `${value}!`))).toBe(false);
  });

  it("has no value for what the request does not say", () => {
    for (const field of ["user", "tenant", "tier", "env", "path", "arg"] as const) {
      expect(holds({ kind: "spend", microUsd: 0, tokens: 0 }, condition(field, "eq", ""))).toBe(false);
      expect(holds({ kind: "spend", microUsd: 0, tokens: 0 }, condition(field, "ne", "x"))).toBe(true);
    }
    expect(holds({ kind: "edit", path: null }, condition("path", "eq", ""))).toBe(false);
    expect(holds({ kind: "run", argv: ["x"] }, condition("env", "contains", ""))).toBe(false);
    expect(holds({ kind: "run", argv: ["x"] }, condition("env", "contains", ""), "may")).toBe(false);
  });

  it("takes arguments for paths where that is the strict reading", () => {
    expect(holds(RUN, condition("path", "eq", "a"), "may")).toBe(true);
    expect(holds(RUN, condition("path", "eq", "a"), "must")).toBe(false);
    expect(holds(TOOL, condition("path", "eq", "b"), "may")).toBe(true);
    expect(holds(TOOL, condition("path", "eq", "b"), "must")).toBe(false);
  });

  it("takes the text of a command for an action where that is the strict reading", () => {
    const shell: PolicyRequest = { kind: "shell", script: "git push --force" };
    for (const [request, text] of [[RUN, "git push src/../a"] as const, [shell, "git push --force"] as const]) {
      expect(holds(request, condition("action", "prefix", "git push"), "may")).toBe(true);
      expect(holds(request, condition("action", "prefix", "git push"), "must")).toBe(false);
      expect(holds(request, condition("action", "ne", text), "may")).toBe(true);
      expect(holds(request, condition("action", "ne", text), "must")).toBe(false);
      expect(holds(request, condition("action", "ne", request.kind), "may")).toBe(false);
      expect(holds(request, condition("action", "ne", "other"), "must")).toBe(true);
    }
    expect(holds({ kind: "read", path: "a" }, condition("action", "eq", "a"), "may")).toBe(false);
  });

  it("may hold for what is not known, but need not", () => {
    const unknown: PolicyRequest = { kind: "run", argv: ["a", null], env: [["B", null]] };
    for (const field of ["arg", "path", "pattern", "env"] as const) {
      expect(holds(unknown, condition(field, "eq", "x"), "may")).toBe(true);
      expect(holds(unknown, condition(field, "eq", "x"), "must")).toBe(false);
      expect(holds(unknown, condition(field, "ne", "x"), "may")).toBe(true);
      expect(holds(unknown, condition(field, "ne", "x"), "must")).toBe(false);
    }
  });
});

describe("conditionProblem", () => {
  it.each<[Condition, RegExp]>([
    [condition("arg", "eq"), /^eq needs exactly one value$/],
    [condition("arg", "matches", "a", "b"), /^matches needs exactly one value$/],
    [condition("arg", "matches", "x".repeat(1001)), /longer than 1000/],
    [condition("arg", "matches", "(a)\\1"), /cannot be used/],
    [condition("arg", "matches", "(?=a)"), /cannot be used/],
  ])("refuses %j", (given, problem) => {
    expect(conditionProblem(given)).toMatch(problem);
    expect(() => compileCondition(given, "may")).toThrow(RangeError);
  });

  it("accepts the others", () => {
    expect(conditionProblem(condition("arg", "in"))).toBeUndefined();
    expect(conditionProblem(condition("arg", "matches", "^(a+)+$"))).toBeUndefined();
  });
});
