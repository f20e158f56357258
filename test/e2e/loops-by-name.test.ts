import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
afterEach(() => project.remove());

const BLUEPRINT = `version: 1
name: say
workspace: directory
params: { word: { default: none } }
policy: { allow: [ { run: ["echo", "*"] } ] }
stages:
  - { id: say, command: ["echo", "\${params.word}"], on_success: check }
  - { id: check, gate: { command: ["echo", "ok"] } }
  - { id: more, level: L2, gate: { command: ["echo", "more"] } }
`;

const withLoops = (loops: string): Record<string, string> => ({
  "blueprints/say.yaml": BLUEPRINT,
  "pawl.yaml": `version: 1\nloops:\n${loops}`,
});

describe("a loop of pawl.yaml", () => {
  test("runs by its name with its level and parameters, and flags go before them", async () => {
    project = createProject(
      withLoops("  hello: { blueprint: blueprints/say.yaml, level: L2, params: { word: hi } }\n"),
    );
    expect((await project.json("plan", "hello")).value).toMatchObject({
      plan: { level: "L2", params: { word: "hi" } },
    });
    expect((await project.json("plan", "hello", "--level", "L1", "--param", "word=ho")).value).toMatchObject({
      plan: { level: "L1", params: { word: "ho" } },
    });
    expect((await project.pawl("run", "hello", "--level", "L1")).code).toBe(0);
    expect((await project.pawl("logs", "@last", "--raw", "--stage", "say")).stdout).toBe("hi\n");
    expect((await project.pawl("why", "hello")).stdout).toMatch(/^say +finished/);
    expect((await project.pawl("cost", "hello")).stdout).toMatch(/^say at L2\n/);
  });

  test("is not run above its level", async () => {
    project = createProject(withLoops("  hello: { blueprint: blueprints/say.yaml, level: L1 }\n"));
    const refused = await project.pawl("run", "hello", "--level", "L2");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('The loop "hello" may go to L1, not to L2.');
  });

  test("may be one that comes with Pawl, and says which parameters are wrong", async () => {
    project = createProject(
      withLoops(`  one: { blueprint: "builtin:check", params: { test: ["true"], git: false } }
  two: { blueprint: "builtin:check", params: { tests: ["true"] } }
  three: { blueprint: "builtin:nothing" }
`),
    );
    expect((await project.pawl("run", "one")).stdout).toContain("succeeded: goal_achieved");
    expect((await project.json("status")).value).toMatchObject({ runs: [{ blueprint: "one" }] });
    const two = await project.pawl("plan", "two");
    expect(two.code).toBe(3);
    expect(two.stderr).toContain('the parameter "tests" of builtin:check cannot be used');
    expect(two.stderr).toContain('the parameter "test" of builtin:check cannot be used: it must be a list of words');
    expect((await project.pawl("plan", "three")).stderr).toContain("BLUEPRINT_SHIPPED_UNKNOWN");
    expect((await project.pawl("plan", "on")).stderr).toContain('Did you mean "one"?');
  });

  test("takes another agent for the stages that name none", async () => {
    project = createProject({
      "blueprint.yaml": `version: 1
name: ask
limits: { wall: 1m }
defaults: { agent: { use: codex } }
policy: { allow: [ { action: "agent.*" }, { read: "**" } ] }
stages:
  - { id: a, agent: { goal: look }, models: { tokens: 1k, usd: 0.01 } }
  - { id: b, agent: { use: gemini, goal: look }, models: { tokens: 1k, usd: 0.01 } }
`,
    });
    const { value } = await project.json("plan", "ask", "--agent", "claude");
    const { plan } = value as { plan: { stages: { agent: { use: string } }[] } };
    expect(plan.stages.map(({ agent }) => agent.use)).toEqual(["claude", "gemini"]);
    expect((await project.pawl("plan", "ask", "--agent", "nobody")).code).toBe(3);
  });
});

describe("a pawl.yaml with a loop that is wrong", () => {
  test("stops what is run by name and lists why, and nothing that is run by its path", async () => {
    project = createProject(withLoops("  hello: { blueprint: blueprints/say.yaml, lane: fast }\n"));
    expect((await project.pawl("run", "blueprints/say.yaml")).code).toBe(0);
    const byName = await project.pawl("run", "hello");
    expect(byName.code).toBe(3);
    expect(byName.stderr).toContain("pawl.yaml:3:50");
    expect((await project.pawl("list")).stderr).toContain('there is no lane "fast"');
    expect((await project.json("list")).value).toMatchObject({
      loops: [],
      problems: [{ code: "BLUEPRINT_LOOP_UNFIT" }],
    });
  });

  test("M9: doctor names each broken loop with its place and what to do", async () => {
    project = createProject(
      withLoops(`  good: { blueprint: blueprints/say.yaml }
  gone: { blueprint: blueprints/none.yaml }
  lacks: { blueprint: "builtin:fix-tests", params: { test: ["true"], agent: codex } }
  hook: { blueprint: blueprints/say.yaml, webhook: { secret_file: /nowhere/secret } }
`),
    );
    project.env["PATH"] = "/usr/bin:/bin";
    const { code, value } = await project.json("doctor");
    expect(code).toBe(1);
    const { checks } = value as { checks: { name: string; status: string; detail: string; hint: string | null }[] };
    const loops = checks.filter(({ name }) => name.startsWith("loop "));
    expect(loops.map(({ name, status, detail }) => `${name} ${status} ${detail}`)).toEqual([
      "loop good ok L1, by hand, blueprints/say.yaml",
      "loop gone fail pawl.yaml:4:3 there is no readable file blueprints/none.yaml",
      "loop lacks fail pawl.yaml:5:3 the agent codex is not installed",
      "loop hook fail pawl.yaml:6:3 there is no file /nowhere/secret",
    ]);
    expect(loops.filter(({ status }) => status === "fail").every(({ hint }) => hint !== null)).toBe(true);
  });

  test("M9: doctor names each problem of the file itself", async () => {
    for (const [text, place] of [
      ["loops: {a: {}}\n", "1:9"],
      ["loops:\n  a: { blueprint: a.yaml }\n  a: { blueprint: a.yaml }\n", "3:3"],
      [`loops: ${"[".repeat(1000)}`, "1:"],
      ["loops: { a: { blueprint: a.yaml, every: 0s } }\n", "1:41"],
      ["lops: {}\n", "1:1"],
    ] as const) {
      project = createProject({ "pawl.yaml": text });
      const doctor = await project.pawl("doctor");
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toContain(`fail  pawl.yaml       pawl.yaml:${place}`);
      project.remove();
    }
    project = createProject();
    symlinkSync("/etc/hostname", join(project.root, "pawl.yaml"));
    expect((await project.pawl("doctor")).stdout).toContain("it is a link");
  });
});
