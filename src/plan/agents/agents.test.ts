import { describe, expect, test } from "vitest";
import { planFrom, TEST_ACTIONS, TEST_AGENTS } from "../../../test/support/plan-from-yaml.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Blueprint } from "../../blueprint/blueprint.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import type { Pattern, Rule } from "../../policy/rule.ts";
import { compile } from "../compile.ts";
import type { AgentStage, Plan } from "../plan.ts";
import { explainPlan } from "../show/explain.ts";
import { explainJson } from "../show/view.ts";
import { hasAgents } from "../walls.ts";

const agentOf = (plan: Plan): AgentStage => plan.stages[0] as AgentStage;
let made = 0;
const rule = (effect: Rule["effect"], pattern: Pattern, more: Partial<Rule> = {}): Rule => ({
  id: `own.${effect}[${made++}]`,
  effect,
  pattern,
  ...more,
});

function problems(
  own: readonly Rule[],
  change: (blueprint: Blueprint) => Blueprint = (same) => same,
): readonly Diagnostic[] {
  const text = "version: 1\nname: t\nstages:\n  - { id: a, agent: { use: walled, goal: anything, run: [agent] } }\n";
  const parsed = parseBlueprint(text, "t.yaml");
  if (!parsed.ok) throw new Error("it cannot be read");
  const input = {
    level: "L1",
    params: {},
    actions: TEST_ACTIONS,
    agents: TEST_AGENTS,
    child: () => undefined,
  } as const;
  const compiled = compile(change(parsed.value), { ...input, rules: own });
  return compiled.ok ? [] : compiled.problems;
}

const codes = (rules: readonly Rule[]): readonly string[] => problems(rules).map(({ code }) => code);
const WHOLE = [rule("allow", { read: "**" }), rule("allow", { run: ["**"] })];

describe("an agent in a plan", () => {
  test("has what it says itself, then what the blueprint says of all agents", () => {
    const plan = planFrom(
      "defaults: { agent: { use: asks, model: smart, toolset: coding_backend, max_turns: 9 } }\n" +
        "stages:\n  - { id: a, agent: { goal: anything, model: fast, script: s.yaml, with: { depth: 1 } }, models: { tokens: 5k, usd: 1, calls: 7 }, outputs: { b: x, a: y } }\n",
    );
    const { agent, models, wall, effect, outputs } = agentOf(plan);
    expect(agent).toMatchObject({
      use: "asks",
      model: "fast",
      maxTurns: 9,
      toolset: { name: "coding_backend" },
      script: { says: "s.yaml" },
      with: { lit: { depth: 1 } },
      role: "implementer",
      outcomes: [],
    });
    expect(models).toMatchObject({ tokens: 5000, calls: 7 });
    expect([wall.sandbox, effect, outputs.map(({ name }) => name)]).toEqual([
      "workspace_write",
      "idempotent",
      ["a", "b"],
    ]);
    expect(plan.bound).toMatchObject({ stages: 1, tokens: 5000, microUsd: 1_000_000, turns: 7 });
    expect(plan.workspace).not.toBeNull();
  });

  test("gets a wall that lets it only look where it may only look, unless its author says otherwise", () => {
    const sandbox = (more: string, stage = ""): string =>
      agentOf(planFrom(`stages:\n  - { id: a, agent: { use: asks, goal: x${more} }${stage} }\n`)).wall.sandbox;
    expect(sandbox("")).toBe("workspace_write");
    expect(sandbox(", role: checker")).toBe("read_only");
    expect(sandbox(", toolset: repo_readonly")).toBe("read_only");
    expect(sandbox(", toolset: coding_backend")).toBe("workspace_write");
    expect(sandbox(", role: checker", ", sandbox: workspace_write")).toBe("workspace_write");
  });

  test("is shown as what it is", () => {
    const plan = planFrom(
      'version: 1\nname: t\npolicy: { allow: [{ action: "agent.asks" }, { read: "**" }, { run: ["**"] }] }\nstages:\n' +
        '  - { id: a, agent: { use: asks, goal: "Repair ${run.id}." } }\n' +
        '  - { id: b, agent: { use: walled, role: checker, goal: "?", run: [agent, --json], toolset: coding_frontend }, on: { accept: done } }\n' +
        "",
    );
    const { stages } = explainJson(plan);
    expect(stages.map(({ runs, policy }) => [runs, policy?.rule ?? null])).toEqual([
      ["asks as implementer: Repair ${run.id}.", "blueprint.allow[0]"],
      ["walled as checker: ?", "blueprint.allow[2]"],
    ]);
    expect(stages[1]?.agent).toEqual({
      use: "walled",
      role: "checker",
      model: null,
      toolset: "coding_frontend",
      maxTurns: null,
    });
    expect(explainPlan(plan)).toContain("accept → done");
  });

  test("is found in a plan, in a group too", () => {
    const member = "- { id: g, group: { parallel: [{ id: a, agent: { use: asks, goal: x } }] } }";
    expect(hasAgents(planFrom(`stages:\n  ${member}\n`))).toBe(true);
    expect(hasAgents(planFrom("stages:\n  - { id: a, agent: { use: asks, goal: x } }\n"))).toBe(true);
    expect(hasAgents(planFrom("stages:\n  - { id: g, group: { parallel: [{ id: a, command: [ok] }] } }\n"))).toBe(
      false,
    );
    expect(hasAgents(planFrom("stages:\n  - { id: a, command: [ok] }\n"))).toBe(false);
  });

  test("says nothing that its backend does not heed", () => {
    const refused = (agent: string, defaults = ""): readonly string[] => {
      const text = `version: 1\nname: t\n${defaults}stages:\n  - { id: a, agent: { goal: x, ${agent} } }\n`;
      const parsed = parseBlueprint(text, "t.yaml");
      if (!parsed.ok) throw new Error("it cannot be read");
      const known = { actions: TEST_ACTIONS, agents: TEST_AGENTS, child: () => undefined, rules: [] };
      const compiled = compile(parsed.value, { level: "L1", params: {}, ...known });
      return compiled.ok
        ? []
        : compiled.problems.map(({ code, what, where }) => `${where?.line}:${where?.column} ${code} ${what}`);
    };
    const told = (at: string, key: string): string =>
      `${at} PLAN_AGENT_KEY_IGNORED The agent "planned" does not heed \`${key}\` (stage "a").`;
    expect(refused("use: planned")).toEqual([]);
    expect(refused("use: planned, model: smart")).toEqual([told("4:37", "model")]);
    expect(refused("use: planned, max_turns: 3, skills: [tidy], context: [a.md]")).toEqual([
      told("4:37", "max_turns"),
      told("4:37", "skills"),
      told("4:37", "context"),
    ]);
    // Beside the name of the backend a default is about it; beside another one it is about others.
    const defaults = (use: string): string => `defaults: { agent: { use: ${use}, model: smart, max_turns: 3 } }\n`;
    expect(refused("role: implementer", defaults("planned"))).toEqual([
      told("5:11", "model"),
      told("5:11", "max_turns"),
    ]);
    expect(refused("use: planned", defaults("asks"))).toEqual([]);
  });

  test("needs settings that are a map", () => {
    const change = (blueprint: Blueprint): Blueprint => ({
      ...blueprint,
      stages: blueprint.stages.map((stage) =>
        stage.kind === "agent" ? { ...stage, agent: { ...stage.agent, with: { ref: ["params", "x"] } } } : stage,
      ),
    });
    expect(problems(WHOLE, change).map(({ code }) => code)).toContain("PLAN_AGENT_SETTINGS_NOT_MAP");
  });
});

describe("a rule about what an agent does not ask", () => {
  test("is none where everything is allowed as a whole", () => {
    expect(codes(WHOLE)).toEqual([]);
    expect(codes([rule("allow", { any: true })])).toEqual([]);
    expect(codes([...WHOLE, rule("allow", { mcp: "*/*" }), rule("allow", { tool: "*" })])).toEqual([]);
    // Edits are judged afterwards; actions and money are no powers of an agent.
    const beside = [rule("deny", { edit: "a" }), rule("ask", { action: "x.*" }), rule("ask", { spend: { tokens: 1 } })];
    expect(codes([...WHOLE, ...beside])).toEqual([]);
  });

  test.each([
    ["asks", rule("ask", { run: ["git", "**"] })],
    ["denies", rule("deny", { read: ".env" })],
    ["is about a shell", rule("deny", { shell: "curl*" })],
    ["is about git", rule("ask", { git: "push" })],
    ["is about anything", rule("deny", { any: true })],
    ["is about a server", rule("ask", { mcp: "docs/*" })],
  ])("is refused where it %s", (_what, strict) => {
    const found = codes([...WHOLE, strict]);
    expect(new Set(found)).toEqual(new Set(["PLAN_AGENT_RULE_UNENFORCEABLE"]));
  });

  test("is refused where it allows a part only, whatever makes it a part", () => {
    for (const more of [{ when: [] }, { except: [] }, { shadow: true }] as const)
      expect(codes([rule("allow", { any: true }, more)])).toEqual([
        "PLAN_AGENT_POWER_PARTIAL",
        "PLAN_AGENT_POWER_PARTIAL",
        ...(more.shadow === true ? [] : ["PLAN_AGENT_POWER_PARTIAL", "PLAN_AGENT_POWER_PARTIAL"]),
      ]);
    expect(codes([...WHOLE, rule("allow", { tool: "think" })])).toEqual(["PLAN_AGENT_POWER_PARTIAL"]);
    expect(codes([rule("allow", { run: ["npm", "**"] })])).toEqual([
      "PLAN_AGENT_POWER_PARTIAL",
      "PLAN_AGENT_POWER_PARTIAL",
    ]);
  });

  test("is no problem where it only watches", () => {
    expect(codes([...WHOLE, rule("deny", { run: ["git", "**"] }, { shadow: true })])).toEqual([]);
  });
});
