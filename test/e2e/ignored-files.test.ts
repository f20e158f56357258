/** What one stage installs into an ignored folder is there for those who need it, in whichever workspace they work. */
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const HEAD = 'version: 1\npolicy: { allow: [{ shell: "**" }] }\n';
const BLUEPRINT = `${HEAD}name: suite
stages:
  - { id: install, command: "mkdir node_modules; echo dep > node_modules/dep.js" }
  - id: tests
    group:
      parallel:
        - { id: one, command: "grep -q dep node_modules/dep.js && echo one > node_modules/dep.js" }
        - { id: two, command: "grep -q dep node_modules/dep.js", sandbox: read_only }
  - { id: child, run: { blueprint: child.yaml } }
  - { id: after, command: "grep -q dep node_modules/dep.js", max_attempts: 2 }
`;
const CHILD = `${HEAD}name: child
stages:
  - { id: look, command: "grep -q dep node_modules/dep.js && echo child > node_modules/dep.js" }
`;

let project: Project;
beforeEach(() => {
  const files = { "suite.yaml": BLUEPRINT, "child.yaml": CHILD, ".gitignore": "node_modules/\n" };
  project = createProject(files);
  const identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...identity, "commit", "-q", "-m", "begin"],
  ])
    expect(spawnSync("git", args, { cwd: project.root }).status).toBe(0);
});
afterEach(() => project.remove());

describe("an ignored folder that a stage has filled", () => {
  it("is there for members of a group, for a child run and for what comes after; each has its own", async () => {
    const { code, stdout, stderr } = await project.pawl("run", "suite.yaml");
    expect(code, `${stdout}${stderr}`).toBe(0);
    const { value } = await project.json("diff", "@last");
    expect((value as { files: { path: string }[] }).files.map(({ path }) => path)).not.toContain("node_modules/dep.js");
  });
});
