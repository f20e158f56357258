import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../base/json.ts";
import { parseText } from "../../parse-text.ts";
import { parseBlueprint } from "../../validate.ts";
import { asBlueprint, type ExecProject, nativeName } from "./as-blueprint.ts";
import { builtIn } from "./built-in.ts";
import { isExecBlueprint, parseExecBlueprint } from "./parse-blueprint.ts";
import { parseExecProject } from "./parse-project.ts";
import { parseExecPolicy } from "./policy-of.ts";
import { programOf, ruleFor } from "./program-of.ts";

const BARE: ExecProject = { gates: [], commands: {}, policy: null, share: [] };
const LIST = "version: 1\nname: My Flow\nstages:\n";
const WORK = "  - { id: work, type: agent, goal: do it }\n";

function native(text: string, project: Partial<ExecProject> = {}): JsonObject {
  const all = { ...BARE, ...project };
  const parsed = parseExecBlueprint(text, "x.yaml", { hasGates: all.gates.length > 0 });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  const made = asBlueprint(parsed.value, all);
  const read = parseBlueprint(made, "made.yaml");
  if (!read.ok) throw new Error(`${read.problems.map(({ what }) => what).join("\n")}\n${made}`);
  return parse(made) as JsonObject;
}

const stagesOf = (text: string, project: Partial<ExecProject> = {}): readonly JsonObject[] =>
  native(text, project)["stages"] as unknown as readonly JsonObject[];
const stage = (id: string, text: string, project: Partial<ExecProject> = {}): JsonObject =>
  stagesOf(text, project).find((one) => one["id"] === id) as JsonObject;

function problems(text: string, hasGates = false): readonly string[] {
  const parsed = parseExecBlueprint(text, "x.yaml", { hasGates });
  return parsed.ok ? [] : parsed.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
}

describe("a blueprint of OpenExec", () => {
  test("K15: as a list goes on with the next, and has defaults that a stage may overrule", () => {
    const made = native(`${LIST}  - { id: look, type: deterministic, commands: [ls] }
  - { id: work, type: agent, goal: "do \${it}", toolset: debug_ci, retry_limit: 0 }
  - { id: check, type: deterministic, action: run_tests, retry_limit: 1, timeout: 90s }
defaults: { toolset: coding_backend, sandbox: workspace-write, max_step_retries: 2, approval_mode: risk_based }
description: Something.
`);
    expect(made).toMatchObject({
      version: 1,
      name: "my-flow",
      description: "Something.",
      defaults: { sandbox: "workspace_write", agent: { use: "model", toolset: "coding_backend" } },
      limits: { rounds: 10 },
      stages: [
        { id: "look", command: ["ls"], on_success: "work", max_attempts: 3, timeout: "5m" },
        {
          id: "work",
          agent: { goal: "do $${it}\n\n${params.task}", toolset: "debug_ci" },
          models: { tokens: "1m", usd: 5 },
          on_success: "check",
          max_attempts: 1,
          timeout: "10m",
        },
        { id: "check", gate: { command: "${params.test}" }, on_success: "done", max_attempts: 2, timeout: "1m 30s" },
      ],
    });
    expect(made["params"]).toMatchObject({ task: { default: "" }, test: { type: "list" } });
    expect(made["params"]).not.toHaveProperty("test.default");
  });

  test("as a map begins with its initial stage, and ends where no way is named; the words of both forms mean the same", () => {
    const made = stagesOf(`id: a_b
name: Words
version: "1.0"
initial_stage: two
stages:
  one: { type: deterministic, commands: [ls], on_success: complete, description: "Looks. \${x}" }
  two: { type: agentic, prompt: go, max_retries: 1, timeout: 60000000000, on_success: one, on_failure: failed }
`);
    expect(made.map(({ id, on_success, on_failure }) => [id, on_success, on_failure])).toEqual([
      ["two", "one", "fail"],
      ["one", "done", undefined],
    ]);
    expect(made[0]).toMatchObject({ max_attempts: 2, timeout: "1m" });
    expect(made[1]).toMatchObject({ title: "Looks. $ {x}", gate: { command: ["ls"] } });
    expect(stagesOf(`name: w\ninitial_stage: a\nstages: { a: { id: a, type: agent, goal: go } }`)).toMatchObject([
      { id: "a", on_success: "done" },
    ]);
  });

  test("K16: what mends is reached, as often as its retries say, and reads what failed", () => {
    const made = stagesOf(builtIn("standard_task") ?? "", { commands: { lint: ["npm", "run", "lint"] } });
    const ways = made.map(({ id, on_success, on_failure }) => [id, on_success, on_failure]);
    expect(ways).toEqual([
      ["gather_context", "implement", undefined],
      ["implement", "implement-checkpoint", undefined],
      ["implement-checkpoint", "lint", undefined],
      ["lint", "test", "fix_lint"],
      ["fix_lint", "lint", undefined],
      ["test", "review", "fix_tests"],
      ["fix_tests", "lint", undefined],
      ["review", "done", undefined],
    ]);
    expect(made[1]).toMatchObject({ inputs: ["gather_context.log"] });
    expect(made[2]).toMatchObject({ action: "generate_diff_report" });
    expect(made[4]).toMatchObject({ inputs: ["lint.log"], max_visits: 3, max_attempts: 4 });
    expect(made[7]).toMatchObject({ action: "prepare_review_bundle" });
    expect(stagesOf(builtIn("quick_fix") ?? "").map(({ id }) => id)).toEqual(["implement", "verify"]);
    expect(builtIn("constructor")).toBeUndefined();
  });

  test("a person is asked before a stage that needs one, and before every one when always_ask says so", () => {
    const text = `${LIST}${WORK}  - { id: ship, type: agent, goal: "ship \${it}", approval_required: true }
  - { id: tag, type: agent, goal: tag it, toolset: release_ops, on_failure: ship }
`;
    const made = stagesOf(text);
    expect(made.map(({ id }) => id)).toEqual(["work", "ship-approval", "ship", "tag-approval", "tag"]);
    expect(made[0]).toMatchObject({ on_success: "ship-approval" });
    expect(made[1]).toMatchObject({
      gate: { approval: { question: 'May "ship" begin? ship $ {it}' } },
      on: { pass: "ship", fail: "fail" },
    });
    expect(made[4]).toMatchObject({ on_failure: "ship-approval" });
    const always = stagesOf(`${LIST}  - { id: a, type: deterministic, commands: [ls] }
  - { id: b, type: deterministic, name: Bee, commands: [ls] }
defaults: { approval_mode: always_ask }
`);
    expect(always.map(({ id }) => id)).toEqual(["a-approval", "a", "b-approval", "b"]);
    expect(always[2]).toMatchObject({ gate: { approval: { question: 'May "b" begin? Bee' } } });
  });

  test("V4: the gates of the project judge what a stage leaves, blocking or not", () => {
    const gates = parseExecProject(
      `project: { name: x, type: node }
quality:
  gates: [lint, slow]
  custom: [{ name: slow, command: "make slow && true", mode: warning, timeout: 60 }]
`,
      "openexec.yaml",
      { lint: ["npm", "run", "lint"] },
    );
    if (!gates.ok) throw new Error(gates.problems.map(({ what }) => what).join());
    const text = `${LIST}  - { id: work, type: agent, goal: go, run_quality_gates: true, create_checkpoint: true, on_failure: paused }\n`;
    const made = stagesOf(text, { gates: gates.value });
    expect(made.slice(1)).toEqual([
      {
        id: "work-lint",
        gate: { quality: { command: ["npm", "run", "lint"], tool: "lint", mode: "block" } },
        timeout: "5m",
        on_success: "work-slow",
        on_failure: "paused",
      },
      {
        id: "work-slow",
        gate: { quality: { command: "make slow && true", tool: "custom", mode: "warn" } },
        timeout: "1m",
        on_success: "work-checkpoint",
        on_failure: "paused",
      },
      { id: "work-checkpoint", action: "generate_diff_report", on_success: "done", on_failure: "paused" },
    ]);
    expect(problems(text)).toEqual(["BLUEPRINT_VALUE_INVALID 4:59"]);
  });

  test("T4: a bundle for reviewers and a summary of the run are actions of ours; later stages get the patch and the words", () => {
    const text = `${LIST}  - { id: bundle, type: deterministic, action: prepare_review_bundle, outputs: [patch] }
  - { id: sum, type: deterministic, action: summarize_run, outputs: [words] }
  - { id: read, type: agent, goal: go, inputs: [patch, words] }
`;
    expect(stage("bundle", text)).toMatchObject({ action: "prepare_review_bundle" });
    expect(stage("sum", text)).toMatchObject({ action: "summarize_run" });
    expect(stage("read", text)).toMatchObject({ inputs: ["bundle.diff", "sum.summary"] });
  });

  test("K13: inputs are what stages put out: logs, talks, patches", () => {
    const text = `${LIST}  - { id: look, type: deterministic, commands: [ls], outputs: [seen] }
  - { id: work, type: agent, goal: go, inputs: [seen], outputs: [said] }
  - { id: report, type: deterministic, action: generate_diff_report, outputs: [patch] }
  - { id: apply, type: deterministic, action: apply_patch, inputs: [patch], on_failure: mend }
  - { id: again, type: agent, goal: go, inputs: [said, patch], on_failure: mend }
  - { id: mend, type: agent, goal: mend }
`;
    expect(stage("work", text)).toMatchObject({ inputs: ["look.log"] });
    expect(stage("apply", text)).toMatchObject({ with: { artifact: "report.diff" }, inputs: ["report.diff"] });
    expect(stage("again", text)).toMatchObject({ inputs: ["work.transcript", "report.diff"] });
    // Two may lead there, and only one of them has run.
    expect(stage("mend", text)).not.toHaveProperty("inputs");
    expect(problems(`${LIST}  - { id: a, type: agent, goal: go, inputs: [none] }\n`)).toEqual([
      "BLUEPRINT_VALUE_INVALID 4:46",
    ]);
  });

  test.each([
    ["no type", "  - { id: a, goal: go }\n", ["BLUEPRINT_KEY_MISSING 4:5"]],
    ["another type", "  - { id: a, type: magic }\n", ["BLUEPRINT_VALUE_INVALID 4:20"]],
    ["no id", "  - { type: agent, goal: go }\n", ["BLUEPRINT_KEY_MISSING 4:5"]],
    ["an id that is none", "  - { id: A B, type: agent, goal: go }\n", ["BLUEPRINT_VALUE_INVALID 4:11"]],
    ["an id twice", `${WORK}${WORK}`, ["BLUEPRINT_STAGE_DUPLICATE 5:11"]],
    ["the id of an end", "  - { id: complete, type: agent, goal: go }\n", ["BLUEPRINT_NAME_RESERVED 4:5"]],
    ["no goal", "  - { id: a, type: agent }\n", ["BLUEPRINT_KEY_MISSING 4:5"]],
    ["two goals", "  - { id: a, type: agent, goal: a, prompt: b }\n", ["BLUEPRINT_STAGE_TWO_VERBS 4:36"]],
    [
      "two numbers of retries",
      "  - { id: a, type: agent, goal: a, retry_limit: 1, max_retries: 1 }\n",
      ["BLUEPRINT_STAGE_TWO_VERBS 4:52"],
    ],
    ["nothing to do", "  - { id: a, type: deterministic }\n", ["BLUEPRINT_KEY_MISSING 4:5"]],
    [
      "an agent with commands",
      "  - { id: a, type: agent, goal: a, commands: [ls] }\n",
      ["BLUEPRINT_KEY_MISPLACED 4:36"],
    ],
    [
      "commands with a goal",
      "  - { id: a, type: deterministic, commands: [ls], goal: a }\n",
      ["BLUEPRINT_KEY_MISPLACED 4:51"],
    ],
    [
      "an action and commands",
      "  - { id: a, type: deterministic, action: generate_diff_report, commands: [ls] }\n",
      ["BLUEPRINT_STAGE_TWO_VERBS 4:65"],
    ],
    [
      "a patch from nowhere",
      "  - { id: a, type: deterministic, action: apply_patch }\n",
      ["BLUEPRINT_KEY_MISSING 4:5"],
    ],
    [
      "an action that nobody knows",
      "  - { id: a, type: deterministic, action: deploy }\n",
      ["BLUEPRINT_VALUE_INVALID 4:43"],
    ],
    [
      "a way to nowhere",
      "  - { id: a, type: agent, goal: go, on_success: b }\n",
      ["BLUEPRINT_ROUTE_TARGET_UNKNOWN 4:49"],
    ],
    [
      "a timeout without end",
      "  - { id: a, type: agent, goal: go, timeout: 1.5 }\n",
      ["BLUEPRINT_DURATION_INVALID 4:46"],
    ],
    ["a key that nobody reads", "  - { id: a, type: agent, goal: go, model: x }\n", ["BLUEPRINT_KEY_UNKNOWN 4:37"]],
    ["a key of every object", "  - { id: a, type: agent, goal: go, __proto__: x }\n", ["BLUEPRINT_KEY_FORBIDDEN 4:37"]],
    ["auto_approve", `${WORK}defaults: { approval_mode: auto_approve }\n`, ["BLUEPRINT_VALUE_INVALID 5:28"]],
    ["session_trust", `${WORK}defaults: { approval_mode: session_trust }\n`, ["BLUEPRINT_VALUE_INVALID 5:28"]],
    ["a sandbox that nobody knows", `${WORK}defaults: { sandbox: open }\n`, ["BLUEPRINT_VALUE_INVALID 5:22"]],
    ["another first stage", `${WORK}initial_stage: other\n`, ["BLUEPRINT_ROUTE_TARGET_UNKNOWN 5:16"]],
  ])("K4: %s is refused at its place", (_, rest, found) => {
    expect(problems(`${LIST}${rest}`)).toEqual(found);
  });

  test("K4: so is what is wrong with the whole", () => {
    expect(problems("[]")).toEqual(["BLUEPRINT_VALUE_TYPE 1:1"]);
    expect(problems("name: x\nstages: none\n")).toEqual(["BLUEPRINT_VALUE_TYPE 2:9"]);
    expect(problems("name: x\nstages: {}\ninitial_stage: a\n")).toEqual([
      "BLUEPRINT_VALUE_INVALID 2:9",
      "BLUEPRINT_ROUTE_TARGET_UNKNOWN 3:16",
    ]);
    expect(problems("name: x\nstages: { a: { type: agent, goal: go } }\n")).toEqual(["BLUEPRINT_KEY_MISSING 1:1"]);
    expect(problems("name: x\ninitial_stage: a\nstages: { a: { id: b, type: agent, goal: go } }\n")).toEqual([
      "BLUEPRINT_VALUE_INVALID 3:20",
    ]);
    expect(problems(`version: 2\nname: x\nstages:\n${WORK}`)).toEqual(["BLUEPRINT_VERSION_UNSUPPORTED 1:10"]);
    expect(problems(`version: 1\nstages:\n${WORK}`)).toEqual(["BLUEPRINT_KEY_MISSING 1:1"]);
    expect(problems("#".repeat(300_000))).toEqual(["BLUEPRINT_TEXT_TOO_LARGE 1:1"]);
    expect(problems("[".repeat(100))).toEqual(["BLUEPRINT_YAML_TOO_DEEP 1:33"]);
  });

  test("has a sign that no native blueprint has", () => {
    const signs = (text: string): boolean => parseText(text, "x", (tree) => isExecBlueprint(tree) || undefined).ok;
    const stages = "stages: [{ id: a, type: agent }]";
    expect([stages, "stages: { a: { type: agent } }", "stages: x\ninitial_stage: a"].map(signs)).toEqual([
      true,
      true,
      true,
    ]);
    expect(["[]", "x: 1", "stages: x", "stages: [{ id: a, command: [ls] }]"].map(signs)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test("commands that nobody mends and that end nothing are no judgement", () => {
    const text = `${LIST}  - { id: a, type: deterministic, commands: [ls], on_failure: fail }
  - { id: b, type: deterministic, commands: [ls], on_success: a, on_failure: c }
  - { id: c, type: agent, goal: go }
`;
    expect(stage("a", text)).toMatchObject({ command: ["ls"] });
    expect(stage("b", text)).toMatchObject({ gate: { command: ["ls"] } });
  });

  test("its name becomes one of ours", () => {
    expect(["standard_task", "My Flow!", "7 days", "---", `a${"b".repeat(80)}`].map(nativeName)).toEqual([
      "standard-task",
      "my-flow",
      "x-7-days",
      "x",
      `a${"b".repeat(59)}`,
    ]);
  });
});

describe("commands of OpenExec", () => {
  test("are started as they are where a shell would do the same, and else are read by one", () => {
    expect(programOf(["npm run  lint"])).toEqual(["npm", "run", "lint"]);
    expect(programOf(["CI=1 npm test"])).toBe("CI=1 npm test");
    expect(programOf(["a | b"])).toBe("a | b");
    expect(programOf(["cd x", "ls"])).toBe("(\ncd x\n) && (\nls\n)");
    expect(ruleFor(["ls"])).toEqual({ run: ["ls"] });
    expect(ruleFor("a | *")).toEqual({
      any: true,
      when: [
        { field: "tool", eq: "shell" },
        { field: "pattern", eq: "a | *" },
      ],
    });
  });

  test("are what the policy allows when there is no other, besides what is everyday", () => {
    const text = `${LIST}  - { id: a, type: deterministic, commands: ["a \${x} | b"] }\n${WORK}`;
    const made = native(text, { commands: { test: ["npm", "test"] }, share: ["node_modules"] });
    expect(made["stages"]).toMatchObject([{ command: "a $${x} | b" }, {}]);
    expect(made["workspace"]).toEqual({ kind: "clone", share: ["node_modules"] });
    expect(made["policy"]).toEqual({
      use: ["everyday"],
      allow: [
        { action: "agent.*" },
        ruleFor("a ${x} | b"),
        { run: ["npm", "test"] },
        { read: "**" },
        { edit: "**" },
        { tool: "*" },
        { action: "generate_diff_report" },
        { action: "prepare_review_bundle" },
        { action: "summarize_run" },
        { action: "apply_patch" },
      ],
    });
    const none = native(`${LIST}  - { id: a, type: deterministic, commands: [ls] }\n`)["policy"] as JsonObject;
    expect(none["allow"]).not.toContainEqual({ read: "**" });
  });
});

describe("openexec.yaml", () => {
  const read = (text: string): readonly string[] => {
    const parsed = parseExecProject(text, "openexec.yaml", {});
    return parsed.ok ? parsed.value.map(({ name }) => name) : parsed.problems.map(({ code }) => code);
  };
  test("V4: a gate that nobody knows a command for is refused, and so is a name for two", () => {
    expect(read("project: { name: x }\n")).toEqual([]);
    expect(read("quality: { gates: [lint] }\n")).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(read("quality: { gates: [constructor] }\n")).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    const gate = "{ name: a, command: ls }";
    expect(read(`quality: { custom: [${gate}, ${gate}] }\n`)).toEqual([
      "BLUEPRINT_VALUE_INVALID",
      "BLUEPRINT_VALUE_INVALID",
    ]);
    expect(read("quality: { custom: [{ name: a }, { command: ls, timeout: 1d1h }] }\n")).toEqual([
      "BLUEPRINT_KEY_MISSING",
      "BLUEPRINT_KEY_MISSING",
      "BLUEPRINT_DURATION_INVALID",
    ]);
    expect(read("quality: { gates: [a], custom: [{ name: a, command: ls, timeout: 5m }] }\n")).toEqual(["a"]);
    expect(read("[]")).toEqual(["BLUEPRINT_VALUE_TYPE"]);
  });
});

describe("S1: policy.json", () => {
  const rule = (fields: object): object => ({
    decision: "allow",
    conditions: [{ type: "tool", operator: "eq", value: "read_file" }],
    ...fields,
  });
  const policy = (...rules: readonly object[]) =>
    parseExecPolicy(JSON.stringify({ version: "1", default_decision: "deny", rules }), "policy.json");
  const codes = (...rules: readonly object[]): readonly string[] => {
    const parsed = policy(...rules);
    return parsed.ok ? [] : parsed.problems.map(({ code }) => code);
  };

  test("S1: its rules are rules of the blueprint, with conditions and exceptions", () => {
    const path = { type: "path", operator: "in", values: ["a", "b"] };
    const parsed = policy(
      rule({ description: "reads", exceptions: [path] }),
      rule({ decision: "ask", name: "asks" }),
      rule({ decision: "deny", conditions: [] }),
    );
    const eq = { field: "tool", eq: "read_file" };
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        allow: [{ any: true, because: expect.stringMatching(/^reads \(policy\.json:1:\d+\)$/), when: [eq] }],
        ask: [{ any: true, because: expect.stringContaining("asks"), when: [eq] }],
        deny: [{ any: true, because: expect.stringContaining("a rule of OpenExec") }],
      },
    });
    expect(parsed.ok && (parsed.value["allow"] as unknown as readonly JsonObject[])[0]).toMatchObject({
      except: [{ field: "path", in: ["a", "b"] }],
    });
    const text = `name: x\nstages: [{ id: a, type: agent, goal: go }]\n`;
    const made = native(text, { policy: parsed.ok ? parsed.value : {} })["policy"] as JsonObject;
    expect(made["deny"]).toEqual([{ any: true, because: expect.any(String) }]);
  });

  test("S1: a looser rule of a higher priority is an exception of a stricter one, or is refused", () => {
    const first = rule({ priority: 10 });
    const parsed = policy(first, rule({ decision: "deny", conditions: [], priority: 5 }));
    expect(parsed.ok && parsed.value["deny"]).toMatchObject([{ except: [{ field: "tool", eq: "read_file" }] }]);
    const same = policy(rule({}), rule({ decision: "deny", conditions: [] }));
    expect(same.ok && (same.value["deny"] as unknown as readonly JsonObject[])[0]).not.toHaveProperty("except");
    const two = [
      { type: "tool", operator: "eq", value: "x" },
      { type: "path", operator: "prefix", value: "y" },
    ];
    const deny = rule({ decision: "deny", conditions: [] });
    expect(codes(rule({ priority: 1, conditions: two }), deny)).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(codes(rule({ priority: 1, exceptions: two }), deny)).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(codes(rule({ conditions: two }), rule({ ...deny, priority: -1 }))).toEqual(["BLUEPRINT_VALUE_INVALID"]);
  });

  test("S1: what it cannot say is refused: another default, an operator or a decision that nobody knows", () => {
    const bad = (text: string): boolean => parseExecPolicy(text, "policy.json").ok;
    expect(bad('{"default_decision":"allow","rules":[]}')).toBe(false);
    expect(codes(rule({ decision: "maybe" }))).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(codes(rule({ conditions: [{ type: "tool", operator: "like", value: "x" }] }))).toEqual([
      "BLUEPRINT_VALUE_INVALID",
    ]);
  });
});
