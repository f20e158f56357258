/** The kill switch as a person meets it: what it says, what it refuses, and who may release it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const HELLO = `version: 1
name: hello
workspace: directory
policy: { allow: [{ shell: "**" }], ask: [{ run: ["ask"] }] }
stages:
  - { id: hello, command: "echo hello" }
`;
const WAIT = `${HELLO}  - { id: ask, command: ["ask"] }\n`;
const LONG = HELLO.replace("echo hello", "echo hello; sleep 60");

let project: Project;
beforeEach(() => {
  project = createProject({ "blueprint.yaml": HELLO, "wait.yaml": WAIT, "long.yaml": LONG });
  // Whatever lies above it: this is the project that is killed.
  project.env["PAWL_ROOT"] = project.root;
});
afterEach(() => project.remove());

describe("pawl kill", () => {
  it("says what it stopped, keeps everything from beginning, and is released by a person", async () => {
    const host = project.start("run", "long.yaml");
    await host.until("hello");
    const killed = await project.pawl("kill", "--all", "--why", "enough\u202e");
    expect(killed.code).toBe(0);
    expect(killed.stdout).toMatch(
      /^killed run r_\w{12} of hello; it was running since [\d-]+ [\d:]+ UTC; cut off: hello; host \d+ on \S+\n/,
    );
    expect(killed.stdout).toMatch(
      /The kill switch is on since .* UTC: nothing begins or goes on until `pawl kill --release`\.\n$/,
    );
    const { code, stdout } = await host.ended;
    expect([code, stdout]).toEqual([1, expect.stringContaining("killed: kill_switch")]);
    for (const args of [
      ["run", "blueprint.yaml"],
      ["run", "wait.yaml", "--json"],
    ]) {
      const refused = await project.pawl(...args);
      expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringContaining("RUN_KILL_SWITCH")]);
    }
    const { stderr } = await project.pawl("run", "blueprint.yaml");
    expect(stderr).toContain("the kill switch is on since");
    expect(stderr).toContain("`pawl kill --release`");
    expect(stderr).toContain("tester: enough");
    expect(stderr).not.toContain("\u202e");
    const released = await project.pawl("kill", "--release");
    expect([released.code, released.stdout]).toEqual([
      0,
      expect.stringContaining("Released .pawl/kill, set by tester"),
    ]);
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(0);
  });

  it("ends one run, resting or not, leaves the others, and leaves no flag behind", async () => {
    expect((await project.pawl("run", "wait.yaml")).code).toBe(2);
    const host = project.start("run", "long.yaml");
    await host.until("hello");
    const { value } = await project.json("status");
    const runs = (value as { runs: readonly { run: string; status: string }[] }).runs;
    const waiting = runs.find(({ status }) => status === "waiting")?.run ?? "";
    const killed = await project.json("kill", waiting, "--why", "not now");
    expect(killed).toMatchObject({
      code: 0,
      value: { scope: waiting, complete: true, runs: [{ run: waiting, was: "waiting", stages: [], host: null }] },
    });
    expect(host.child.exitCode).toBeNull();
    expect(existsSync(join(project.root, `.pawl/kill-${waiting}`))).toBe(false);
    expect((await project.pawl("kill", waiting)).code).toBe(3);
    expect((await project.pawl("kill", "@last")).code).toBe(0);
    await host.ended;
  });

  it("says so when nothing is under way, also where there was never a run", async () => {
    const { code, stdout } = await project.pawl("kill", "--all");
    expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing was under way.")]);
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(1);
    expect((await project.pawl("kill", "--release")).code).toBe(0);
    expect((await project.pawl("kill", "--release")).stdout).toBe("The kill switch was not on.\n");
  });

  it("refuses what is not clear", async () => {
    for (const args of [[], ["@last", "--all"], ["--release", "--all"], ["--release", "@last"]])
      expect(await project.pawl("kill", ...args), args.join(" ")).toMatchObject({ code: 3 });
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
  });

  it("is not released by what a stage starts, which may pull it all the same", async () => {
    project.env["PAWL_KEY"] = "r_000000000000:work:1";
    expect((await project.pawl("kill", "--all")).code).toBe(0);
    const refused = await project.pawl("kill", "--release");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("CLI_KILL_RELEASE_REFUSED")]);
    expect(existsSync(join(project.root, ".pawl/kill"))).toBe(true);
  });
});

describe("loop-pause-all in STATE.md", () => {
  it("ends what is under way, refuses what would begin, and only people take it out", async () => {
    const host = project.start("run", "long.yaml");
    await host.until("hello");
    project.write("STATE.md", "# State\n\nloop-pause-all: true\n");
    expect(await host.ended).toMatchObject({ code: 1, stdout: expect.stringContaining("killed: kill_switch") });
    const refused = await project.pawl("run", "blueprint.yaml");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("STATE.md:3")]);
    const release = await project.pawl("kill", "--release");
    expect([release.code, release.stderr]).toEqual([1, expect.stringContaining("take the line out")]);
    project.write("STATE.md", "# State\n\n<!-- loop-pause-all: true -->\n");
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(0);
  });
});

describe("a flag for a run whose host is lost", () => {
  it("ends it when somebody tries to go on", async () => {
    const host = project.start("run", "long.yaml");
    await host.until("hello");
    const [run = ""] = /r_\w{12}/.exec(JSON.stringify(await project.json("status"))) ?? [];
    host.child.kill("SIGKILL");
    await host.ended;
    writeFileSync(join(project.root, `.pawl/kill-${run}`), "");
    expect((await project.pawl("resume", run)).code).toBe(1);
    expect(await project.json("show", run)).toMatchObject({ value: { status: "killed", reason: "kill_switch" } });
  });
});
