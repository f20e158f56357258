import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
afterEach(() => project.remove());

describe("a new user", () => {
  it("goes from init to a verified and replayed run", async () => {
    project = createProject({ Makefile: "test:\n\t@echo all good\n" });

    const init = await project.pawl("init");
    expect(init).toMatchObject({ code: 0, stderr: "" });
    expect(init.stdout).toContain("wrote pawl.yaml");
    expect(init.stdout).toMatch(/tests +make test \(from Makefile\)/);
    expect(readdirSync(project.root).sort()).toEqual(["Makefile", "pawl.yaml"]);

    const plan = await project.pawl("plan", "check");
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain("Worst case");
    expect(plan.stdout).toContain("allow (blueprint.allow[0])");
    const list = await project.pawl("list");
    expect(list.stdout).toMatch(/check +L1 +by hand +builtin:check/);
    const doctor = await project.pawl("doctor");
    expect(doctor).toMatchObject({ code: 0 });
    expect(doctor.stdout).toContain("Ready.");
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);

    const run = await project.pawl("run", "check");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const id = /^run (r_\w+)\n/.exec(run.stdout)?.[1] ?? "";
    expect(run.stdout).toContain(`run ${id} succeeded: goal_achieved, 1 stage`);
    expect(run.stdout).toContain(`pawl logs ${id}`);
    expect(readFileSync(join(project.root, ".pawl", ".gitignore"), "utf8")).toBe("*\n");

    const show = await project.pawl("show", "@last");
    expect(show.stdout).toContain(`run ${id} succeeded`);
    expect((await project.pawl("logs", id.slice(0, 6))).stdout).toBe("==> tests attempt 1 <==\nall good\n");
    expect((await project.pawl("logs", id, "--raw")).stdout).toBe("all good\n");
    expect((await project.pawl("verify", id)).stdout).toMatch(
      /^intact {2}1 run, \d+ events, 1 artifact, 0 trees, 0 objects\n/,
    );
    expect((await project.pawl("verify", "--all")).code).toBe(0);
    expect((await project.pawl("replay", id)).stdout).toMatch(new RegExp(`^equal {2}run ${id}, \\d+ events\n$`));
    const status = await project.pawl("status");
    expect(status.stdout).toMatch(new RegExp(`${id} +succeeded +goal_achieved +check`));
    expect((await project.pawl("why")).stdout).toContain("check  finished");
  });

  it("looks around without leaving anything behind", async () => {
    project = createProject({ Makefile: "test:\n\t@echo all good\n" });
    const looks = [
      "status",
      "why",
      "budget",
      "digest",
      "list",
      "breakers",
      "queue",
      "approvals",
      "audit",
      "doctor",
      "gc",
    ];
    for (const look of [
      ...looks.map((name) => [name]),
      ["gc", "--dry-run"],
      ["resume", "--due"],
      ["verify", "--all"],
    ]) {
      expect([look, (await project.pawl(...look)).code]).toEqual([look, 0]);
      expect([look, readdirSync(project.root)]).toEqual([look, ["Makefile"]]);
    }
  });

  it("is told when there is no test command, and can say one", async () => {
    project = createProject();
    const nothing = await project.pawl("init");
    expect(nothing).toMatchObject({ code: 3, stdout: "" });
    expect(nothing.stderr).toContain("CLI_TEST_COMMAND_UNKNOWN");
    expect(readdirSync(project.root)).toEqual([]);

    expect(await project.pawl("init", "--", "sh", "-c", `test "$${"{HOME}"}" != ""`)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const run = await project.json("run", "check");
    expect(run).toMatchObject({ code: 0, value: { status: "succeeded", reason: "goal_achieved" } });
  });

  it("is told that a package.json could not be read, and not only that it names no test command", async () => {
    project = createProject({ "package.json": "{ broken" });
    const { code, stderr } = await project.pawl("init");
    expect([code, stderr.split("\n")[1]]).toEqual([
      3,
      `  No test command was found in ${project.root}: package.json could not be read as JSON.`,
    ]);
    expect(readdirSync(project.root)).toEqual(["package.json"]);
  });

  it("works from a folder below the project and from outside it", async () => {
    project = createProject({ Makefile: "test:\n\t@pwd\n", "sub/keep": "" });
    await project.pawl("init");
    const outside = createProject();
    expect((await outside.pawl("run", "check", "-C", project.root)).code).toBe(0);
    expect(readdirSync(outside.root)).toEqual([]);
    outside.remove();
    expect((await project.pawl("--root", project.root, "logs", "@last", "--raw")).stdout.trim()).toBe("/workspace");
  });
});
