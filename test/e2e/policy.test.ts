/** `pawl policy`: what the rules say to a request, with their place and their reason, before anything is run. */
import { afterEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";
import { callHere } from "../support/damage.ts";

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

/** One spelling for each way to start a command from another one, next to a rule that allows everything. */
const SPELLINGS = [
  "git push",
  "bash -lc 'git push'",
  "bash -l -c 'git push'",
  "env -S 'git push'",
  "eval 'git push'",
  "exec git push",
  "command git push",
  ". /dev/stdin <<< 'git push'",
  "xargs git push",
  "find . -exec git push \\;",
  "parallel git push ::: a",
  "git -c a=b push",
  "git -C x --no-pager -c a=b push",
  "git -c alias.x='!git push' x",
  "echo git push | sh",
  "sh <<< 'git push'",
  "sh <<E\ngit push\nE",
  "timeout 5 bash -lc 'git push'",
  "nice git push",
  "nohup git push",
  "setsid git push",
  "stdbuf -oL git push",
  "watch git push",
  "flock f git push",
  "script -qc 'git push' /dev/null",
  "unshare git push",
  "sudo git push",
  "doas git push",
  "su -c 'git push'",
  "busybox sh -c 'git push'",
  "npx git push",
  "npm exec git push",
  "python -c 1",
  "node -e 1",
  "perl -e 1",
  "awk 'BEGIN{system(1)}'",
];
const WIDE = `version: 1
name: wide
policy: { allow: [{ run: ["**"] }, { shell: "**" }], deny: [{ run: [git, push, "**"] }] }
stages: [{ id: a, command: [make] }]
`;

describe("a rule that denies a command", () => {
  it("denies it however it is started, and the guard holds in a login shell", async () => {
    project = createProject({ "wide.yaml": WIDE });
    const decided = async (script: string): Promise<number | null> =>
      (await callHere(project.root, ["policy", "check", "--blueprint", "wide.yaml", "--shell", script])).code;
    const allowed: string[] = [];
    for (const script of [...SPELLINGS, "bash -lc 'rm -rf /'"]) if ((await decided(script)) !== 1) allowed.push(script);
    expect(allowed).toEqual([]);
    expect([await decided("git status"), await decided("bash -lc 'git status'")]).toEqual([0, 0]);
  });

  it("is told by `pawl plan` which allowed programs could hide it", async () => {
    const named = WIDE.replace('[{ run: ["**"] }', '[{ run: [python3, "**"] }, { run: [cat, "**"] }, { run: ["**"] }');
    project = createProject({ "named.yaml": named, "wide.yaml": WIDE });
    const { stdout } = await project.pawl("plan", "named.yaml");
    expect(stdout).toContain("\nHidden    python3 could run a command that your deny and ask rules do not see\n");
    expect((await project.json("plan", "named.yaml")).value).toMatchObject({
      explained: { hidingPrograms: ["python3"] },
    });
    expect((await project.pawl("plan", "wide.yaml")).stdout).not.toContain("Hidden");
  });
});
