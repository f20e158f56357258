import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BIN, createProject, eventually, isAlive, type Project } from "../support/cli.ts";

const DANGER = "--danger-full-access";
const HEAD =
  'version: 1\nname: hang\nworkspace: directory\ndefaults: { sandbox: danger_full_access }\npolicy: { allow: [{ shell: "**" }, { run: ["echo", "**"] }] }\n';
/** Says who it is, so that the test can look whether it is gone. `once` is the default, so a lost attempt asks a person. */
const HANG = `${HEAD}stages:\n  - id: hang\n    effect: idempotent\n    command: "echo $$ > pid; while test ! -e go; do sleep 0.05; done"\n  - { id: after, command: [echo, done] }\n`;
const STUBBORN = `${HEAD}stages:\n  - id: hang\n    command: "trap '' TERM INT; echo $$ > pid; while true; do sleep 0.05; done"\n`;

let project: Project;
beforeEach(() => {
  project = createProject({ "hang.yaml": HANG, "stubborn.yaml": STUBBORN });
});
afterEach(() => project.remove());

async function childPid(): Promise<number> {
  const file = join(project.root, "pid");
  await eventually(() => existsSync(file) && readFileSync(file, "utf8").trim() !== "", "the child has started");
  return Number(readFileSync(file, "utf8"));
}

describe("Ctrl-C", () => {
  it("cancels the run, ends its process, and leaves with 130", async () => {
    const run = project.start("run", "hang.yaml", DANGER);
    const pid = await childPid();
    run.child.kill("SIGINT");
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("cancelling (Ctrl-C again to kill)");
    expect(stdout).toMatch(/run r_\w+ cancelled: cancelled, asked by tester/);
    expect(isAlive(pid)).toBe(false);
    expect((await project.json("show", "@last")).value).toMatchObject({ status: "cancelled" });
  });

  it("twice kills a process that does not want to end, and leaves the run resumable", async () => {
    const run = project.start("run", "stubborn.yaml", DANGER);
    const pid = await childPid();
    run.child.kill("SIGINT");
    await run.until("cancelling");
    run.child.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("killed; see how far it came");
    expect(isAlive(pid)).toBe(false);
    expect((await project.json("status", "@last")).value).toMatchObject({ status: "running", hosted: false });
    expect((await project.pawl("status")).stdout).toContain("lost");
  });

  it("ends a command that only follows, with 130", async () => {
    const run = project.start("run", "hang.yaml", DANGER);
    await childPid();
    const events = project.start("events", "@last", "--follow");
    await events.until("hang started");
    events.child.kill("SIGINT");
    expect((await events.ended).code).toBe(130);
    run.child.kill("SIGINT");
    await run.ended;
  });
});

describe("a terminate signal", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)("stops the host on %s and leaves the run resumable", async (signal) => {
    const run = project.start("run", "hang.yaml", DANGER);
    const pid = await childPid();
    run.child.kill(signal);
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopping; go on later with: pawl resume r_\w+/);
    expect(isAlive(pid)).toBe(false);
    project.write("go", "");
    const resumed = await project.pawl("resume", "@last");
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain("hang interrupted: attempt 1 was lost with its process");
  });
});

describe("two processes", () => {
  it("M11: cancel, pause and follow a run that another process hosts", async () => {
    const run = project.start("run", "hang.yaml", DANGER);
    await childPid();
    const held = await project.pawl("resume", "@last");
    expect([held.code, held.stderr.includes("RUN_HELD")]).toEqual([1, true]);
    expect((await project.json("status", "@last")).value).toMatchObject({ status: "running", hosted: true });
    const follow = project.start("events", "@last", "--follow", "--jsonl");
    const watch = project.start("status", "@last", "--watch");
    const logs = project.start("logs", "@last", "--follow");
    await Promise.all([follow.until("stage.started"), watch.until("hang is under way")]);
    expect((await project.pawl("pause", "@last")).code).toBe(0);
    await run.until("pause asked by tester");
    project.write("go", "");
    const paused = await run.ended;
    expect([paused.code, paused.stdout.includes("paused")]).toEqual([2, true]);
    expect((await project.pawl("pause", "@last")).stderr).toContain("RUN_NOT_HOSTED");
    const resumed = await project.pawl("resume", "@last");
    expect([resumed.code, resumed.stdout.includes("after success")]).toEqual([0, true]);
    const followed = await follow.ended;
    expect([followed.code, followed.stdout.includes('"run.finished"')]).toEqual([0, true]);
    expect((await watch.ended).stdout).toContain("succeeded");
    // On a busy machine it is seen while it runs.
    expect((await logs.ended).stdout).toMatch(/==> after attempt 1(, still running)? <==\ndone\n/);
  });

  it("cancel a run whose process was lost", async () => {
    const run = project.start("run", "hang.yaml", DANGER);
    const pid = await childPid();
    run.child.kill("SIGKILL");
    await run.ended;
    expect((await project.pawl("show", "@last")).stdout).toContain("No process hosts it now and nothing is lost.");
    const cancelled = await project.pawl("cancel", "@last");
    expect([cancelled.code, cancelled.stdout]).toEqual([0, expect.stringMatching(/^run r_\w+ cancelled\n$/)]);
    expect(isAlive(pid)).toBe(false);
    expect((await project.pawl("replay", "@last")).code).toBe(0);
  });
});

describe("a reader that leaves", () => {
  it("is no failure of a command that prints", async () => {
    project.write("long.yaml", `${HEAD}stages:\n  - id: long\n    command: "seq 1 200000"\n`);
    expect((await project.pawl("run", "long.yaml", DANGER)).code).toBe(0);
    for (const args of ["logs @last", "events @last --jsonl", "explain --all", "help"]) {
      const script = `"${process.execPath}" "${BIN}" ${args} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: project.root, encoding: "utf8" });
      expect([args, stdout, stderr]).toEqual([args, "0\n", ""]);
    }
  });

  it("does not end a run", async () => {
    const child = spawn(process.execPath, [BIN, "run", "hang.yaml", DANGER, "--jsonl"], {
      cwd: project.root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    await childPid();
    child.stdout.destroy();
    project.write("go", "");
    expect(await ended).toBe(0);
    expect((await project.json("show", "@last")).value).toMatchObject({ status: "succeeded" });
  });
});
