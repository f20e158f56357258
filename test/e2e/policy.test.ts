/** `pawl policy`: what the rules say to a request, with their place and their reason, before anything is run. */
import { afterEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
afterEach(() => project.remove());

const BLUEPRINT = `version: 1
name: job
policy:
  allow: [{ run: [make, "**"], examples: { match: [[make, all]], not: [[rm]] } }]
  ask: [{ edit: "src/**", because: Sources are for people. }]
stages: [{ id: a, command: [make] }]
`;

describe("pawl policy", () => {
  it("tells the decision, the rule, its place and why, and exits by the decision", async () => {
    project = createProject({ "job.yaml": BLUEPRINT, "pawl.yaml": "policy: { deny: [{ run: [make, deploy] }] }\n" });
    const allowed = await project.pawl("policy", "check", "--blueprint", "job.yaml", "--", "make", "-k");
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining("job.yaml:4:11") });
    const asked = await project.pawl("policy", "check", "--blueprint", "job.yaml", "--edit", "src/a.ts");
    expect(asked).toMatchObject({ code: 2, stdout: expect.stringContaining("Sources are for people.") });
    const denied = await project.pawl("policy", "check", "--json", "--blueprint", "job.yaml", "--", "make", "deploy");
    expect(denied.code).toBe(1);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      decision: { effect: "deny", rule: "repository.deny[0]", where: "pawl.yaml:1:18" },
      matches: [{ rule: "repository.deny[0]" }, { rule: "blueprint.allow[0]" }],
    });
    expect((await project.pawl("policy", "check", "--shell", "ls | wc -l")).code).toBe(0);
    expect((await project.pawl("policy", "check", "--read", "/etc/shadow")).code).toBe(1);
    expect((await project.pawl("policy", "check", "--fetch", "a.org:8080")).code).toBe(1);
  });

  it("runs the examples and shows the rules", async () => {
    project = createProject({ "job.yaml": BLUEPRINT });
    const tested = JSON.parse((await project.pawl("policy", "test", "--json", "--blueprint", "job.yaml")).stdout);
    expect(tested).toMatchObject({ failures: [] });
    expect(tested.examples).toBeGreaterThan(50);
    expect((await project.pawl("policy", "test")).stdout).toMatch(/^\d+ examples of \d+ rules, 0 failed\n$/);
    expect((await project.pawl("policy", "show")).stdout).toContain("guard.privilege");
  });

  it("refuses what is not a question", async () => {
    project = createProject({ "pawl.yaml": "policy: { allow: [] }\n" });
    expect((await project.pawl("policy", "check")).code).toBe(3);
    expect((await project.pawl("policy", "look")).code).toBe(3);
    expect((await project.pawl("policy", "show", "--", "ls")).code).toBe(3);
    expect((await project.pawl("policy", "check", "--read", "a", "--edit", "b")).code).toBe(3);
    expect(await project.pawl("policy", "check", "--", "ls")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("BLUEPRINT_POLICY_LOOSENS"),
    });
  });
});
