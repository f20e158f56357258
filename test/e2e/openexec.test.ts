/** A project of OpenExec from the command line: its verbs under our names, and exit codes that a script can go by. */
import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const projects: Project[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

function execProject(files: Readonly<Record<string, string>>): Project {
  const project = createProject(files);
  projects.push(project);
  const git = (...args: readonly string[]): void =>
    void spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project.root });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "begin");
  return project;
}

const flow = (stages: string): Readonly<Record<string, string>> => ({
  ".openexec/blueprints/flow.yaml": `version: 1\nname: flow\nstages:\n${stages}`,
});

describe("I3: the runtime of OpenExec", () => {
  test("I3: its verbs are there under our names", async () => {
    const { code, stdout } = await execProject({}).pawl("help");
    expect(code).toBe(0);
    for (const verb of ["init", "doctor", "plan", "run", "status", "cancel", "resume", "approvals", "approve", "deny"])
      expect(stdout).toMatch(new RegExp(`^ +${verb}\\b`, "m"));
    for (const verb of ["events", "verify", "replay", "export"])
      expect(stdout).toMatch(new RegExp(`^ +${verb}\\b`, "m"));
  });

  test("T4: what an action has stored is printed by its name", async () => {
    const stages =
      "  - { id: look, type: deterministic, commands: [ls] }\n  - { id: sum, type: deterministic, action: summarize_run }\n";
    const project = execProject(flow(stages));
    expect((await project.pawl("run", "flow")).code).toBe(0);
    const { code, stdout } = await project.pawl("logs", "@last", "--stage", "sum", "--file", "summary", "--raw");
    expect([code, stdout.split("\n")[0]]).toEqual([0, expect.stringMatching(/^## Run r\\_/)]);
    expect((await project.pawl("logs", "@last", "--file", "nothing")).code).toBe(1);
  });

  test("I3: 0 is success, 1 failure, 2 that a person is needed, 3 that it was asked wrongly", async () => {
    const check = (command: string): string => `  - { id: check, type: deterministic, commands: [${command}] }\n`;
    expect((await execProject(flow(check("ls"))).pawl("run", "flow")).code).toBe(0);
    const failing = execProject(flow(check("ls nowhere")));
    expect((await failing.pawl("run", "flow")).code).toBe(1);
    const asking = flow("  - { id: check, type: deterministic, commands: [ls], approval_required: true }\n");
    expect((await execProject(asking).pawl("run", "flow")).code).toBe(2);
    const wrong = await execProject(flow("  - { id: check, type: magic }\n")).pawl("run", "flow");
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain(".openexec/blueprints/flow.yaml:4:24");
    // Checks that are not there do not pass.
    const bare = await execProject({ "a.txt": "a" }).pawl("plan", "standard_task");
    expect([bare.code, bare.stderr.includes("lint")]).toEqual([3, true]);
    const { value } = await failing.json("list");
    expect(value).toMatchObject({ blueprints: [{ name: "flow", door: "openexec" }] });
  });
});
