import { describe, expect, it } from "vitest";
import { parsePolicy, parseRepositoryPolicy } from "./parse-policy.ts";

const codes = (result: ReturnType<typeof parsePolicy | typeof parseRepositoryPolicy>): readonly string[] =>
  result.ok ? [] : result.problems.map(({ code, where }) => `${where?.line}:${where?.column} ${code}`);

describe("parsePolicy", () => {
  it("reads the rules of a layer", () => {
    const text = "version: 1\nuse: [everyday]\nallow: [{ read: a }]\ndeny:\n  - { run: [x], because: no }\n";
    expect(parsePolicy(text, "p.yaml", "user")).toEqual({
      ok: true,
      value: {
        use: ["everyday"],
        rules: [
          { id: "user.allow[0]", effect: "allow", pattern: { read: "a" }, where: "p.yaml:3:9" },
          { id: "user.deny[0]", effect: "deny", pattern: { run: ["x"] }, because: "no", where: "p.yaml:5:5" },
        ],
      },
    });
    expect(parsePolicy("{}", "p.yaml", "organisation")).toEqual({ ok: true, value: { use: [], rules: [] } });
  });

  it.each([
    ["", "1:1 BLUEPRINT_TEXT_EMPTY"],
    ["[]", "1:1 BLUEPRINT_VALUE_TYPE"],
    ["version: 2", "1:10 BLUEPRINT_VALUE_INVALID"],
    ["alow: []", "1:1 BLUEPRINT_KEY_UNKNOWN"],
    ["deny: {]", "1:8 BLUEPRINT_YAML_SYNTAX"],
  ])("refuses %j", (text, problem) => {
    expect(codes(parsePolicy(text, "p.yaml", "user"))).toEqual([problem]);
  });
});

describe("a rule about any request", () => {
  it("asks and denies as it stands, and allows what its conditions say", () => {
    const when = "when: [{ field: tool, eq: read_file }]";
    const parsed = parsePolicy(`allow: [{ any: true, ${when} }]\ndeny: [{ any: true }]\n`, "p.yaml", "user");
    expect(parsed).toMatchObject({
      ok: true,
      value: { rules: [{ pattern: { any: true }, when: [{ field: "tool", op: "eq" }] }, { pattern: { any: true } }] },
    });
    expect(codes(parsePolicy("allow: [{ any: true }]", "p.yaml", "user"))).toEqual(["1:9 BLUEPRINT_KEY_MISSING"]);
    expect(codes(parsePolicy("deny: [{ any: false }]", "p.yaml", "user"))).toEqual(["1:15 BLUEPRINT_VALUE_INVALID"]);
  });
});

describe("a policy.json of OpenExec", () => {
  const rule = (fields: object): string => JSON.stringify({ rules: [{ decision: "deny", ...fields }] });

  it("is read by its content", () => {
    const text = JSON.stringify({
      version: "1.0",
      name: "house",
      description: "rules",
      default_decision: "deny",
      rules: [
        {
          id: "r1",
          name: "no env",
          description: "secrets",
          decision: "deny",
          priority: 100,
          conditions: [{ type: "path", operator: "matches", value: "\\.env$" }],
          exceptions: [{ type: "path", operator: "suffix", value: ".example" }],
        },
        {
          name: "readers",
          decision: "allow",
          conditions: [{ type: "tool", operator: "in", values: ["read_file", "grep"] }],
        },
        { id: "r3", decision: "ask" },
        { decision: "ask" },
      ],
    });
    expect(parsePolicy(text, "policy.json", "organisation")).toEqual({
      ok: true,
      value: {
        use: [],
        rules: [
          {
            id: "organisation.rules[0]",
            effect: "deny",
            pattern: { any: true },
            where: expect.stringMatching(/^policy\.json:1:\d+$/),
            because: "secrets",
            when: [{ field: "path", op: "matches", values: ["\\.env$"] }],
            except: [{ field: "path", op: "suffix", values: [".example"] }],
          },
          {
            id: "organisation.rules[1]",
            effect: "allow",
            pattern: { any: true },
            where: expect.any(String),
            because: "readers",
            when: [{ field: "tool", op: "in", values: ["read_file", "grep"] }],
            except: [],
          },
          expect.objectContaining({ id: "organisation.rules[2]", because: "r3", when: [] }),
          expect.not.objectContaining({ because: expect.anything() }),
        ],
      },
    });
  });

  it.each([
    ["another default", JSON.stringify({ default_decision: "allow" }), "BLUEPRINT_VALUE_INVALID"],
    ["an effect that does not exist", rule({ decision: "maybe" }), "BLUEPRINT_VALUE_INVALID"],
    [
      "an operator that does not exist",
      rule({ conditions: [{ type: "arg", operator: "like", value: "x" }] }),
      "BLUEPRINT_VALUE_INVALID",
    ],
    [
      "a type that does not exist",
      rule({ conditions: [{ type: "moon", operator: "eq", value: "x" }] }),
      "BLUEPRINT_VALUE_INVALID",
    ],
    [
      "a condition without a value",
      rule({ conditions: [{ type: "arg", operator: "eq" }] }),
      "BLUEPRINT_RULE_CONDITION",
    ],
    [
      "an expression that is none",
      rule({ exceptions: [{ type: "arg", operator: "matches", value: "(" }] }),
      "BLUEPRINT_RULE_CONDITION",
    ],
    ["a list of nothing", rule({ conditions: [{ type: "arg", operator: "in" }] }), "BLUEPRINT_RULE_CONDITION"],
    ["a version that nobody knows", JSON.stringify({ version: "2.0", rules: [] }), "BLUEPRINT_VERSION_UNSUPPORTED"],
    ["a rule that allows everything", rule({ decision: "allow" }), "BLUEPRINT_KEY_MISSING"],
    ["the same with an empty list", rule({ decision: "allow", conditions: [] }), "BLUEPRINT_KEY_MISSING"],
    ["rules that are no list", JSON.stringify({ rules: {} }), "BLUEPRINT_VALUE_TYPE"],
    ["a list", "rules", "BLUEPRINT_VALUE_TYPE"],
  ])("is refused with %s", (_name, text, code) => {
    expect(codes(parsePolicy(text, "policy.json", "user")).map((found) => found.split(" ")[1])).toEqual([code]);
  });
});

describe("S1: a condition of OpenExec", () => {
  type Given = Readonly<Record<string, string | readonly string[]>>;
  const parsed = (given: Given) =>
    parsePolicy(JSON.stringify({ rules: [{ decision: "deny", conditions: [given] }] }), "policy.json", "user");
  const conditionOf = (given: Given): unknown => {
    const read = parsed(given);
    return read.ok ? read.value.rules[0]?.when : read.problems.map(({ code, where }) => `${code} ${where?.column}`);
  };

  it("S1: compares for equality where it does not say how", () => {
    expect(conditionOf({ type: "tool", value: "write_file" })).toEqual([
      { field: "tool", op: "eq", values: ["write_file"] },
    ]);
  });

  it.each<Given>([
    { type: "action", operator: "eq", value: "run_tests" },
    { type: "action", operator: "ne", value: "run_linters" },
    { type: "action", operator: "in", values: ["apply_patch", "build_context_pack"] },
    { type: "action", operator: "prefix", value: "run_" },
    { type: "tier", operator: "eq", value: "workspace-write" },
    { type: "tier", operator: "in", values: ["low", "read_only"] },
    { type: "env", operator: "eq", value: "CI:true" },
    { type: "arg", operator: "contains", value: "command:rm -rf" },
  ])("S1: is refused where nothing looks at what it means: %j", (given) => {
    expect(conditionOf(given)).toEqual(["BLUEPRINT_RULE_CONDITION 44"]);
  });

  it.each<Given>([
    { type: "action", operator: "eq", value: "apply_patch" },
    { type: "action", operator: "matches", value: "rm\\s+-rf?\\s+/" },
    { type: "action", operator: "prefix", value: "run" },
    { type: "tier", operator: "eq", value: "high" },
    { type: "env", operator: "eq", value: "CI=a:b" },
    { type: "arg", operator: "prefix", value: "https://example.org" },
    { type: "tool", operator: "eq", value: "run_tests" },
  ])("S1: is taken where something does: %j", (given) => {
    expect(parsed(given).ok).toBe(true);
  });
});

describe("parseRepositoryPolicy", () => {
  it("reads what asks and denies", () => {
    expect(parseRepositoryPolicy("policy: { ask: [{ git: push }], deny: [{ read: a }] }", "pawl.yaml")).toEqual({
      ok: true,
      value: [
        { id: "repository.ask[0]", effect: "ask", pattern: { git: "push" }, where: "pawl.yaml:1:17", tightens: true },
        { id: "repository.deny[0]", effect: "deny", pattern: { read: "a" }, where: "pawl.yaml:1:40" },
      ],
    });
    for (const text of ["{}", "", "# nothing\n"]) {
      expect(parseRepositoryPolicy(text, "pawl.yaml")).toEqual({ ok: true, value: [] });
    }
  });

  it("refuses what would loosen, and what it does not know", () => {
    expect(codes(parseRepositoryPolicy("policy: { use: [], allow: [] }", "p"))).toEqual([
      "1:11 BLUEPRINT_POLICY_LOOSENS",
      "1:20 BLUEPRINT_POLICY_LOOSENS",
    ]);
    expect(codes(parseRepositoryPolicy("polcy: {}", "p"))).toEqual(["1:1 BLUEPRINT_KEY_UNKNOWN"]);
    expect(codes(parseRepositoryPolicy("- a", "p"))).toEqual(["1:1 BLUEPRINT_VALUE_TYPE"]);
  });
});
