import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Runtime } from "../runtime.ts";
import { openRuntime } from "../wire.ts";

let root: string;
let runtime: Runtime;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "pawl-skill-actions-"));
  const env = { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: join(root, "config"), MY_TOKEN: "hunter2-hunter2" };
  runtime = await openRuntime({ root, config: readConfig({ flags: { root }, env }) });
});
afterEach(async () => {
  await runtime.close();
  rmSync(root, { recursive: true, force: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nSay ${name}.\n`;

describe("an agent stage", () => {
  const blueprint = (agent: string): string =>
    `version: 1\nname: t\npolicy: { allow: [{ action: "agent.*" }, { run: ["**"] }, { read: "**" }, { edit: "**" }] }\nstages:\n  - { id: a, agent: { use: command, goal: x, run: ["true"], ${agent} } }\n`;
  const contextOf = async (agent: string) => {
    write("b.yaml", blueprint(agent));
    const { plan } = await runtime.compile("b.yaml", { level: "L2" });
    if (!plan.ok)
      return plan.problems.map(({ code, where }) => `${where?.file}:${where?.line}:${where?.column} ${code}`);
    const [stage] = plan.value.stages;
    return stage?.kind === "agent" ? stage.agent.context : undefined;
  };

  test("T8: is told the skills and files that it names, frozen into the plan by their digest", async () => {
    write("AGENTS.md", "Be kind.");
    write("src/a.ts", "a");
    const context = await contextOf('skills: [minimal-fix], context: ["src/**"]');
    expect(context).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((context as { text: string }).text).toMatch(/Be kind\.[\s\S]*Change only what[\s\S]*src\/a\.ts/);
    write("src/a.ts", "changed");
    const after = await contextOf('skills: [minimal-fix], context: ["src/**"]');
    expect(after).not.toEqual(context);
    expect(await contextOf("role: implementer")).toBeUndefined();
  });

  test("T8: is refused with the place when it names a skill that is not there", async () => {
    expect(await contextOf("skills: [none]")).toEqual([expect.stringMatching(/^b\.yaml:5:\d+ SKILL_NOT_LOADED$/)]);
  });
});

describe("skills of a project", () => {
  test("T8: come from the package, from the user and from the root of the project", async () => {
    write("config/pawl/skills/mine/SKILL.md", skill("mine"));
    write("skills/ours/SKILL.md", skill("ours"));
    write("skills/broken/SKILL.md", "---\nname: x\n---\n");
    const { skills, warnings } = await runtime.skills();
    expect(skills.map(({ id, layer }) => `${id} ${layer}`)).toEqual([
      ...["loop-verifier builtin", "mine user", "minimal-fix builtin", "ours project"],
    ]);
    expect(warnings).toHaveLength(1);
    const checks = await runtime.doctor();
    expect(checks.find(({ name }) => name === "skills")).toMatchObject({
      ...{ status: "warn", detail: expect.stringContaining("skills/broken/SKILL.md:2") },
    });
    expect(checks.find(({ name }) => name === "mcp")).toMatchObject({ status: "ok" });
  });

  test("P8: are opened with the breakers and the wall of the project, and denied without a rule", async () => {
    write("skills/greet/SKILL.md", skill("greet"));
    write("skills/greet/manifest.yaml", "execution: { mode: process, run: [/bin/sh, -c, 'echo 1'] }\n");
    const signal = new AbortController().signal;
    const denied = await (await runtime.openSkills()).execute({ skill: "greet", input: {} }, signal);
    expect(denied).toMatchObject({ status: "rejected", error: { code: "SKILL_POLICY_REJECTED" } });
    const skills = await runtime.openSkills({ policy: { allow: [{ tool: "skill__greet" }] } });
    expect(await skills.execute({ skill: "greet", input: {} }, signal)).toMatchObject({ status: "success", output: 1 });
    expect(skills.canExecute("minimal-fix")).toBe(false);
  });

  test("T8: go into a context with the rules of the project and chosen files, secrets masked, the same each time", async () => {
    write("AGENTS.md", "Be kind. The token is hunter2-hunter2.");
    write("src/a.ts", "a");
    write("src/deep/b.ts", "b");
    write("src/c.md", "c");
    write("node_modules/x/src/d.ts", "d");
    symlinkSync(join(root, "AGENTS.md"), join(root, "src", "link.ts"));
    const options = { skills: ["minimal-fix"], files: ["**/*.ts"], inputs: { log: "1 failed" } };
    const pack = await runtime.contextPack(options);
    expect(pack.parts.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "rules AGENTS.md",
      expect.stringMatching(/^skill minimal-fix@1\.0\.0 [0-9a-f]{12}$/),
      "input log",
      "file src/a.ts",
      "file src/deep/b.ts",
    ]);
    expect(pack.text).toContain("The token is [redacted:secret].");
    expect(await runtime.contextPack(options)).toEqual(pack);
    await expect(runtime.contextPack({ skills: ["none"] })).rejects.toMatchObject({ code: "SKILL_NOT_LOADED" });
    expect((await runtime.contextPack({ maxBytes: 0, files: ["src/*.ts"] })).bytes).toBeLessThanOrEqual(4096);
  });
});
